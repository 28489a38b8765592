/** Bars of days, drawn by uPlot. Colors are those of the theme; a line shows a limit. */
import uPlot from 'uplot';
import type { DrawPlot } from './day-bars.js';

const HEIGHT = 106;
const BAR_WIDTH = 0.7;
const WIDEST_BAR = 48;
const AXIS_FONT = '11px sans-serif';

export const drawPlot: DrawPlot = (element, { days, programs, highest }, { line, format }) => {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  // Parts of a bar are drawn one over the other, the highest first.
  const sums = programs.map((_, of) =>
    days.map((__, day) => programs.slice(0, of + 1).reduce((sum, { values }) => sum + (values[day] as number), 0)),
  );
  const bars = uPlot.paths.bars?.({ size: [BAR_WIDTH, WIDEST_BAR], align: 0 });
  const axis = { stroke: color('faint'), font: AXIS_FONT, ticks: { show: false } };
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      padding: [8, 8, 0, 0],
      cursor: { show: false },
      legend: { show: false },
      scales: {
        x: { time: false, range: [-0.6, days.length - 0.4] },
        y: { range: [0, Math.max(highest, line ?? 0) * 1.08 || 1] },
      },
      axes: [
        { ...axis, size: 22, gap: 2, grid: { show: false }, values: (_, at) => at.map((day) => shortDay(days[day])) },
        {
          ...{ ...axis, size: 64, gap: 4, space: 34 },
          grid: { stroke: color('line'), width: 1 },
          values: (_, at) => at.map((value) => format(value)),
        },
      ],
      series: [
        {},
        ...[...programs.keys()].reverse().map((of) => ({
          ...{ fill: color(`color-${of % COLORS}`), width: 0, points: { show: false } },
          ...(bars === undefined ? {} : { paths: bars }),
        })),
      ],
      hooks: { draw: [(of) => drawLine(of, line, color('bad'))] },
    },
    [days.map((_, at) => at), ...[...sums].reverse()],
    element,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
};

/** So many colors does the style have. */
const COLORS = 6;

function shortDay(day: string | undefined): string {
  return day === undefined ? '' : day.slice(5);
}

function drawLine({ ctx, bbox, valToPos }: uPlot, at: number | null, color: string): void {
  if (at === null) return;
  const y = Math.round(valToPos(at, 'y', true));
  ctx.save();
  ctx.strokeStyle = color;
  ctx.setLineDash([6, 4]);
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}
