/** The page that is a file: its data are in it. */
import { render } from 'preact';
import type { FileRun } from '../app/file-run.js';
import { FILE_RUN_ID } from '../views/report/page-file.js';
import { fileData, storedLayout } from './data/file-data.js';
import { Page } from './page.jsx';
import { createRouter } from './page-parts.js';

const root = document.getElementById('page');
const text = document.getElementById(FILE_RUN_ID)?.textContent;
if (root !== null && typeof text === 'string') {
  const file = JSON.parse(text) as FileRun;
  const router = createRouter('file');
  if (router.address.value.run === null) router.go({ run: file.run.run_id, query: {} }, 'replace');
  render(<Page data={fileData(file)} router={router} layOut={storedLayout(file)} />, root);
}
