// The chart as a vector file of its own: no script, no font to fetch, readable on paper.
import type { Metric } from "../collector/api";
import { verticalRange, type Column, type Series } from "../estimates/series";
import { paletteColour } from "../state/palette";
import { compact, percent, periodDate } from "../words";

const [width, height] = [960, 480];
const [left, right, top, bottom] = [64, 24, 64, 44];
// These are the colours on paper, whatever the theme of the page is.
const [ink, muted, line, blue] = ["ink", "muted", "line", "estimate"].map((name) => paletteColour(name, "light")) as [
  string,
  string,
  string,
  string,
];

const escape = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export function chartSvg(
  series: Series,
  metric: Metric,
  selection: { estimator: string; level: number; from: number; to: number },
): string {
  const [low, high] = verticalRange(series, selection.from, selection.to, metric.devices);
  const rows = series.period
    .map((period, i) => ({ period, i }))
    .filter(({ period }) => period >= selection.from && period <= selection.to);
  const x = (period: number) =>
    left + ((period - selection.from) / Math.max(1, selection.to - selection.from)) * (width - left - right);
  const y = (value: number) =>
    top + (1 - (Math.min(Math.max(value, low), high) - low) / (high - low)) * (height - top - bottom);
  const points = (column: Column, order = rows) =>
    order
      .filter(({ i }) => column[i] !== null)
      .map(({ period, i }) => `${x(period).toFixed(2)},${y(column[i]!).toFixed(2)}`);
  const band = (lower: Column, upper: Column, opacity: number) => {
    const outline = [...points(upper), ...points(lower, [...rows].reverse())];
    return outline.length > 3
      ? `<polygon points="${outline.join(" ")}" fill="${blue}" fill-opacity="${opacity}"/>`
      : "";
  };
  const step = niceStep((high - low) / 5);
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push(at);
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) =>
    Math.round(selection.from + share * (selection.to - selection.from)),
  );
  const text = (at: number, line: number, anchor: string, size: number, fill: string, words: string) =>
    `<text x="${at}" y="${line}" text-anchor="${anchor}" font-size="${size}" fill="${fill}">${escape(words)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="Geist, Helvetica, Arial, sans-serif">
<rect width="${width}" height="${height}" fill="${paletteColour("raised", "light")}"/>
${text(left, 30, "start", 18, ink, metric.name)}
${text(left, 50, "start", 12, muted, `${metric.description ? `${metric.description} ` : ""}${selection.estimator} estimate, ${percent(selection.level)} ranges, epsilon ${metric.plan.epsilon}`)}
${ticks.map((at) => `<line x1="${left}" x2="${width - right}" y1="${y(at)}" y2="${y(at)}" stroke="${line}"/>${text(left - 10, y(at) + 4, "end", 12, muted, compact(at))}`).join("\n")}
${[...new Set(marks)].map((at) => text(x(at), height - 16, "middle", 12, muted, periodDate(metric, at) ?? String(at))).join("\n")}
${band(series.lowerAll, series.upperAll, 0.1)}
${band(series.lower, series.upper, 0.18)}
<polyline points="${points(series.estimate).join(" ")}" fill="none" stroke="${blue}" stroke-width="2" stroke-linejoin="round"/>
</svg>
`;
}

function niceStep(least: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return size * ([1, 2, 5, 10].find((n) => n * size >= least) ?? 10);
}
