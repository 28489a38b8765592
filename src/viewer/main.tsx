/** The page that the service sends: its data come from the service, and the layout engine is a worker. */
import { render } from 'preact';
import { createRouter } from './address.js';
import { serviceData } from './data/service-data.js';
import { workerLayout } from './graph/worker-layout.js';
import { Page } from './page.js';

const root = document.getElementById('page');
const layout = document.querySelector<HTMLMetaElement>('meta[name="statedsl-layout"]')?.content ?? '';
const loadPlot = async () => (await import('./runs/draw-plot.js')).drawPlot;
if (root !== null)
  render(
    <Page data={serviceData()} router={createRouter('service')} layOut={workerLayout(layout)} loadPlot={loadPlot} />,
    root,
  );
