// The chart as a vector file of its own: no script, no font to fetch, readable on paper.
import type { Metric } from "../collector/api";
import type { Column } from "../estimates/series";
import type { Area, Drawing, Line } from "./plot";
import { paletteColour } from "../state/palette";
import { periodDate } from "../dates";

const [width, height] = [960, 480];
const [left, right, top, bottom] = [64, 24, 64, 44];
// These are the colours on paper, whatever the theme of the page is.
const [ink, muted, line] = ["ink", "muted", "line"].map((name) => paletteColour(name, "light")) as [
  string,
  string,
  string,
];

const escape = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

interface Range {
  from: number;
  to: number;
}

interface Drawn extends Range {
  drawing: Drawing;
  metric: Metric;
  /** What is drawn, under the name of the metric. */
  words: string;
  figure: (value: number) => string;
  /** Of the lines, in their order. Empty if there is nothing to tell apart. */
  names: string[];
}

/** All areas and lines that a chart shows, in the colours for paper. */
export function drawingSvg({ drawing, metric, from, to, words, figure, names }: Drawn): string {
  const [low, high] = drawing.range(from, to);
  const rows = drawing.period
    .map((period, i) => ({ period, i }))
    .filter(({ period }) => period >= from && period <= to);
  const x = (period: number) => left + ((period - from) / Math.max(1, to - from)) * (width - left - right);
  const y = (value: number) =>
    top + (1 - (Math.min(Math.max(value, low), high) - low) / (high - low)) * (height - top - bottom);
  const points = (column: Column, run: typeof rows) =>
    run.map(({ period, i }) => `${x(period).toFixed(2)},${y(column[i]!).toFixed(2)}`);
  /** Stretches without a gap: nothing is drawn where nothing is known. */
  const runsOf = (...columns: Column[]) => {
    const runs: (typeof rows)[] = [];
    let open = false;
    for (const row of rows) {
      const known = columns.every((column) => column[row.i] != null);
      if (known && open) runs[runs.length - 1]!.push(row);
      else if (known) runs.push([row]);
      open = known || (open && drawing.spanGaps === true);
    }
    return runs.filter((run) => run.length > 1);
  };
  const area = ({ lower, upper, colour, strength }: Area) => {
    const shade = paletteColour(colour, "light");
    const opacity = parseInt(strength ?? (shade.slice(7) || "ff"), 16) / 255;
    return runsOf(lower, upper)
      .map((run) => [...points(upper, run), ...points(lower, [...run].reverse())].join(" "))
      .map((all) => `<polygon points="${all}" fill="${shade.slice(0, 7)}" fill-opacity="${opacity.toFixed(2)}"/>`)
      .join("\n");
  };
  const curve = ({ values, colour, width: thick = 2, dash }: Line) =>
    runsOf(values)
      .map(
        (run) =>
          `<polyline points="${points(values, run).join(" ")}" fill="none" stroke="${paletteColour(colour, "light")}" stroke-width="${thick}"${dash ? ` stroke-dasharray="${dash.join(" ")}"` : ""} stroke-linejoin="round"/>`,
      )
      .join("\n");
  const step = niceStep((high - low) / 5);
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step); i * step <= high; ++i) ticks.push(i * step);
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(from + share * (to - from)));
  const text = (at: number, line: number, anchor: string, size: number, fill: string, say: string) =>
    `<text x="${at}" y="${line}" text-anchor="${anchor}" font-size="${size}" fill="${fill}">${escape(say)}</text>`;
  const noted = (metric.annotations ?? []).filter(({ period }) => period >= from && period <= to);
  const notes = noted.map(({ period, text: note }, i) => {
    const room = x(noted[i + 1]?.period ?? to) - x(period);
    const said = room > 6 * note.length + 8 || i + 1 === noted.length ? note : "";
    const end = i + 1 === noted.length && room < 6 * note.length + 8;
    return `<line x1="${x(period)}" x2="${x(period)}" y1="${top}" y2="${height - bottom}" stroke="${muted}" stroke-dasharray="3 3"/>${text(x(period) + (end ? -5 : 5), top + 10, end ? "end" : "start", 11, muted, said)}`;
  });
  const key = names.map((name, i) => {
    const line = 22 + 14 * i;
    const colour = paletteColour(drawing.lines[i]?.colour ?? "edge", "light");
    return `<line x1="${width - right - 16}" x2="${width - right}" y1="${line - 4}" y2="${line - 4}" stroke="${colour}" stroke-width="3"/>${text(width - right - 22, line, "end", 11, muted, name)}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="Geist, Helvetica, Arial, sans-serif">
<rect width="${width}" height="${height}" fill="${paletteColour("raised", "light")}"/>
${text(left, 30, "start", 18, ink, metric.name)}
${text(left, 50, "start", 12, muted, `${metric.description ? `${metric.description} ` : ""}${words}, epsilon ${metric.plan.epsilon}`)}
${ticks.map((at) => `<line x1="${left}" x2="${width - right}" y1="${y(at)}" y2="${y(at)}" stroke="${line}"/>${text(left - 10, y(at) + 4, "end", 12, muted, figure(at))}`).join("\n")}
${[...new Set(marks)].map((at) => text(x(at), height - 16, "middle", 12, muted, periodDate(metric, at) ?? String(at))).join("\n")}
${notes.join("\n")}
${drawing.areas.map(area).join("\n")}
${drawing.lines.map(curve).join("\n")}
${key.join("\n")}
</svg>
`;
}

function niceStep(least: number): number {
  const size = 10 ** Math.floor(Math.log10(least));
  return size * ([1, 2, 5, 10].find((n) => n * size >= least) ?? 10);
}
