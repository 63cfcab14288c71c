import "./chart.css";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Column } from "../estimates/series";
import { colour, theme } from "../state/theme";
import { compact } from "../words";

/** An area between two curves, in a colour of the palette. The strength is in two hexadecimal digits. */
export interface Area {
  lower: Column;
  upper: Column;
  colour: string;
  strength?: string;
}

export interface Line {
  values: Column;
  colour: string;
  width?: number;
  dash?: number[];
}

/** A vertical line at a period, with a word to it. */
export interface Mark {
  period: number;
  text: string;
}

/** A stretch of periods, and the level of its mean if that is known. */
export interface Span {
  from: number;
  to: number;
  colour: string;
  mean: number | null;
}

/** Curves over the same periods. */
export interface Drawing {
  period: number[];
  areas: Area[];
  lines: Line[];
  /** The latest value of the first line gets a dot, unless this is false. */
  markLatest?: boolean;
  /** Not all lines have their values at the same periods. */
  spanGaps?: boolean;
  /** Returns the vertical range for periods from..to. */
  range: (from: number, to: number) => [number, number];
}

export interface PlotProps {
  drawing: Drawing;
  from: number;
  to: number;
  /** Says what a period is: a date, or its number. */
  label: (period: number) => string;
  /** Writes a value on the axis; the default is compact. */
  figure?: (value: number) => string;
  onZoom: (from: number, to: number) => void;
  /** The row under the pointer, or null. */
  onHover: (row: number | null) => void;
  summary: string;
  marks?: Mark[];
  spans?: Span[];
  /** What dragging across the chart does, if it is not to zoom. */
  onDrag?: (from: number, to: number) => void;
}

const columns = ({ period, areas, lines }: Drawing): uPlot.AlignedData => [
  period,
  ...areas.flatMap(({ lower, upper }) => [upper, lower]),
  ...lines.map(({ values }) => values),
];

const filled = ({ colour: name, strength = "" }: Area) => colour(name) + strength;

const font = () =>
  `${Math.round(parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.75)}px Geist, sans-serif`;

function options(current: { props: PlotProps }, width: number, height: number): uPlot.Options {
  const axis = (): Partial<uPlot.Axis> => ({
    font: font(),
    labelFont: font(),
    stroke: () => colour("muted"),
    grid: { stroke: () => colour("line"), width: 1 },
    ticks: { show: false },
  });
  const { areas, lines, spanGaps } = current.props.drawing;
  const firstLine = 1 + 2 * areas.length;
  const invisible: uPlot.Series = { stroke: "transparent", width: 0, points: { show: false }, spanGaps };
  const lineAt = (column: number) => current.props.drawing.lines[column - firstLine];
  return {
    width,
    height,
    padding: [12, 10, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 6 },
      points: {
        stroke: (_, series) => colour(lineAt(series)?.colour ?? "estimate"),
        fill: () => colour("page"),
        show: (_, series) => hoverPoint(series >= firstLine),
      },
    },
    scales: {
      x: {
        time: false,
        range: () => [current.props.from - 0.5, Math.max(current.props.to, current.props.from + 1) + 0.5],
      },
      y: {
        range: () => current.props.drawing.range(current.props.from, current.props.to),
      },
    },
    axes: [
      {
        ...axis(),
        grid: { show: false },
        size: 34,
        // Dates need more room than numbers.
        space: () => 28 + 6 * current.props.label(current.props.to).length,
        incrs: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 1 << 14, 1 << 16, 1 << 18],
        values: (_, splits) => splits.map((at) => (Number.isInteger(at) ? current.props.label(at) : "")),
      },
      { ...axis(), size: 56, space: 56, values: (_, splits) => splits.map(current.props.figure ?? compact) },
    ],
    series: [
      {},
      ...areas.flatMap(() => [invisible, invisible]),
      ...lines.map(({ width = 2, dash }, i) => ({
        stroke: () => colour(lineAt(firstLine + i)!.colour),
        width,
        dash,
        points: { show: false },
        spanGaps,
      })),
    ],
    bands: areas.map((_, i) => ({
      series: [2 * i + 1, 2 * i + 2] as [number, number],
      fill: () => filled(current.props.drawing.areas[i]!),
    })),
    hooks: {
      setSelect: [
        (u) => {
          if (u.select.width < 6) return;
          const from = Math.ceil(u.posToVal(u.select.left, "x"));
          const to = Math.floor(u.posToVal(u.select.left + u.select.width, "x"));
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          const { onDrag, onZoom } = current.props;
          if (onDrag && to >= from) onDrag(from, to);
          else if (to > from) onZoom(from, to);
        },
      ],
      setCursor: [(u) => current.props.onHover(u.cursor.idx ?? null)],
      drawClear: [(u) => drawSpans(u, current.props.spans ?? [])],
      draw: [(u) => drawMarks(u, current.props.marks ?? []), (u) => markLatest(u, firstLine, current.props.drawing)],
    },
  };
}

/** Only lines get a point under the cursor, not the edges of areas. */
function hoverPoint(line: boolean): HTMLElement {
  const point = document.createElement("div");
  point.className = line ? "hover-point" : "no-point";
  return point;
}

/** Inside the plot, in the pixels of the canvas. */
function clipped(u: uPlot, draw: () => void): void {
  const { left, top, width, height } = u.bbox;
  u.ctx.save();
  u.ctx.beginPath();
  u.ctx.rect(left, top, width, height);
  u.ctx.clip();
  draw();
  u.ctx.restore();
}

function drawSpans(u: uPlot, spans: Span[]): void {
  const { top, height } = u.bbox;
  clipped(u, () => {
    for (const { from, to, colour: name, mean } of spans) {
      const [left, right] = [u.valToPos(from - 0.5, "x", true), u.valToPos(to + 0.5, "x", true)];
      u.ctx.fillStyle = `${colour(name)}1f`;
      u.ctx.fillRect(left, top, right - left, height);
      if (mean === null) continue;
      const y = u.valToPos(mean, "y", true);
      u.ctx.fillStyle = colour(name);
      u.ctx.fillRect(left, y - devicePixelRatio, right - left, 2 * devicePixelRatio);
    }
  });
}

/** Each word stands beside its line as far as there is room to the next one. */
function drawMarks(u: uPlot, marks: Mark[]): void {
  const { left, top, width, height } = u.bbox;
  const gap = 5 * devicePixelRatio;
  clipped(u, () => {
    u.ctx.font = `${12 * devicePixelRatio}px Geist, sans-serif`;
    u.ctx.textBaseline = "top";
    u.ctx.textAlign = "left";
    const places = marks.map(({ period }) => Math.round(u.valToPos(period, "x", true)));
    marks.forEach(({ text }, i) => {
      const x = places[i]!;
      u.ctx.strokeStyle = u.ctx.fillStyle = colour("soft");
      u.ctx.lineWidth = devicePixelRatio;
      u.ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
      u.ctx.beginPath();
      u.ctx.moveTo(x, top);
      u.ctx.lineTo(x, top + height);
      u.ctx.stroke();
      const end = Math.min(left + width, places[i + 1] ?? Infinity);
      const said = shortened(text, (part) => u.ctx.measureText(part).width <= end - x - 2 * gap);
      u.ctx.fillText(said, x + gap, top);
    });
  });
}

/** As much of a text as fits; nothing rather than a letter or two. */
function shortened(text: string, fits: (part: string) => boolean): string {
  if (fits(text)) return text;
  for (let length = text.length - 1; length >= 3; --length) {
    const part = `${text.slice(0, length).trimEnd()}…`;
    if (fits(part)) return part;
  }
  return "";
}

function markLatest(u: uPlot, column: number, drawing: Drawing): void {
  const estimates = u.data[column];
  if (!estimates || drawing.markLatest === false) return;
  let last = estimates.length - 1;
  while (last >= 0 && estimates[last] === null) --last;
  const at = last >= 0 ? u.data[0]![last]! : NaN;
  if (!(at >= u.scales.x!.min! && at <= u.scales.x!.max!)) return;
  const [x, y] = [u.valToPos(at, "x", true), u.valToPos(estimates[last]!, "y", true)];
  const radius = 4 * devicePixelRatio;
  u.ctx.save();
  u.ctx.fillStyle = colour(drawing.lines[0]!.colour);
  u.ctx.strokeStyle = colour("page");
  u.ctx.lineWidth = 2 * devicePixelRatio;
  u.ctx.setLineDash([]);
  u.ctx.beginPath();
  u.ctx.arc(x, y, radius, 0, 2 * Math.PI);
  u.ctx.fill();
  u.ctx.stroke();
  u.ctx.restore();
}

/** Curves with their areas. Drag to zoom, double-click for all; arrows, + and - on the keyboard. */
export function Plot(props: PlotProps) {
  // The plot is made for so many curves.
  return <Drawn key={`${props.drawing.areas.length} ${props.drawing.lines.length}`} {...props} />;
}

function Drawn(props: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const current = useRef({ props, plot: null as uPlot | null });
  current.current.props = props;

  useEffect(() => {
    const element = place.current!;
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    const plot = new uPlot(options(current.current, size().width, size().height), columns(props.drawing), element);
    current.current.plot = plot;
    const resized = new ResizeObserver(() => plot.setSize(size()));
    resized.observe(element);
    const unwatch = theme.watch(() => plot.redraw(false));
    // Text on a canvas does not change by itself once the font has come.
    document.fonts.ready.then(() => plot.redraw(false, true));
    return () => {
      unwatch();
      resized.disconnect();
      plot.destroy();
    };
  }, []);

  useEffect(() => {
    current.current.plot?.setData(columns(props.drawing), true);
  }, [props.drawing, props.from, props.to, JSON.stringify([props.marks, props.spans])]);

  const move = (event: KeyboardEvent) => {
    const { plot } = current.current;
    const { drawing, from, to, onZoom } = props;
    if (!plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = drawing.period
      .map((period, row) => ({ period, row }))
      .filter(({ period }) => period >= from && period <= to);
    const [first, last] = [shown[0]?.row ?? 0, shown[shown.length - 1]?.row ?? 0];
    const width = to - from;
    const at = plot.cursor.idx ?? last;
    const step = event.shiftKey ? Math.max(1, Math.round(width / 10)) : 1;
    const point = (row: number) => {
      const inside = Math.min(Math.max(row, first), last);
      plot.setCursor({ left: plot.valToPos(drawing.period[inside]!, "x"), top: 1 });
    };
    switch (event.key) {
      case "ArrowLeft":
        point(at - step);
        break;
      case "ArrowRight":
        point(at + step);
        break;
      case "Home":
        point(first);
        break;
      case "End":
        point(last);
        break;
      case "+":
      case "=":
        onZoom(Math.round(from + width / 4), Math.round(to - width / 4));
        break;
      case "-":
        onZoom(Math.round(from - width / 2), Math.round(to + width / 2));
        break;
      case "0":
      case "Escape":
        onZoom(-Infinity, Infinity);
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  return (
    <div
      class="chart"
      ref={place}
      role="application"
      aria-label={props.summary}
      aria-describedby="chart-keys"
      tabIndex={0}
      onKeyDown={move}
      onDblClick={() => props.onZoom(-Infinity, Infinity)}
    />
  );
}
