import "./chart.css";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { verticalRange, type Column, type Series } from "../estimates/series";
import { colour, theme } from "../state/theme";
import { compact } from "../words";

export interface ChartProps {
  series: Series;
  devices: number;
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
}

const none = (series: Series): Column => series.period.map(() => null);

const columns = (series: Series): uPlot.AlignedData => [
  series.period,
  series.upperAll,
  series.lowerAll,
  series.upper,
  series.lower,
  series.second?.upper ?? none(series),
  series.second?.lower ?? none(series),
  series.estimate,
  series.truth ?? none(series),
  series.second?.estimate ?? none(series),
];
const [estimateColumn, truthColumn, secondColumn] = [7, 8, 9];
const colours: Record<number, string> = {
  [estimateColumn!]: "estimate",
  [truthColumn!]: "truth",
  [secondColumn!]: "second",
};

const font = () =>
  `${Math.round(parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.75)}px Geist, sans-serif`;

function options(current: { props: ChartProps }, width: number, height: number): uPlot.Options {
  const axis = (): Partial<uPlot.Axis> => ({
    font: font(),
    labelFont: font(),
    stroke: () => colour("muted"),
    grid: { stroke: () => colour("line"), width: 1 },
    ticks: { show: false },
  });
  // Two metrics need not have their periods at the same times.
  const spanGaps = current.props.series.second !== undefined;
  const invisible: uPlot.Series = { stroke: "transparent", width: 0, points: { show: false }, spanGaps };
  return {
    width,
    height,
    padding: [12, 10, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 6 },
      points: {
        stroke: (_, series) => colour(colours[series] ?? "estimate"),
        fill: () => colour("page"),
        show: hoverPoint,
      },
    },
    scales: {
      x: {
        time: false,
        range: () => [current.props.from - 0.5, Math.max(current.props.to, current.props.from + 1) + 0.5],
      },
      y: {
        range: () => verticalRange(current.props.series, current.props.from, current.props.to, current.props.devices),
      },
    },
    axes: [
      {
        ...axis(),
        grid: { show: false },
        size: 34,
        space: 76,
        incrs: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 1 << 14, 1 << 16, 1 << 18],
        values: (_, splits) => splits.map((at) => (Number.isInteger(at) ? current.props.label(at) : "")),
      },
      { ...axis(), size: 56, space: 56, values: (_, splits) => splits.map(current.props.figure ?? compact) },
    ],
    series: [
      {},
      invisible,
      invisible,
      invisible,
      invisible,
      invisible,
      invisible,
      { stroke: () => colour("estimate"), width: 2, points: { show: false }, spanGaps },
      { stroke: () => colour("truth"), width: 1.75, dash: [5, 4], points: { show: false } },
      { stroke: () => colour("second"), width: 2, dash: [9, 3], points: { show: false }, spanGaps },
    ],
    bands: [
      { series: [1, 2], fill: () => colour("band-all") },
      { series: [3, 4], fill: () => colour("band") },
      { series: [5, 6], fill: () => colour("second-band") },
    ],
    hooks: {
      setSelect: [
        (u) => {
          if (u.select.width < 6) return;
          const from = Math.ceil(u.posToVal(u.select.left, "x"));
          const to = Math.floor(u.posToVal(u.select.left + u.select.width, "x"));
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          if (to > from) current.props.onZoom(from, to);
        },
      ],
      setCursor: [(u) => current.props.onHover(u.cursor.idx ?? null)],
      draw: [markLatest],
    },
  };
}

/** Only the estimate and the truth get a point under the cursor, not the edges of bands. */
function hoverPoint(_: uPlot, series: number): HTMLElement {
  const point = document.createElement("div");
  point.className = series >= estimateColumn! ? "hover-point" : "no-point";
  return point;
}

function markLatest(u: uPlot): void {
  const estimates = u.data[estimateColumn!]!;
  let last = estimates.length - 1;
  while (last >= 0 && estimates[last] === null) --last;
  const at = last >= 0 ? u.data[0]![last]! : NaN;
  if (!(at >= u.scales.x!.min! && at <= u.scales.x!.max!)) return;
  const [x, y] = [u.valToPos(at, "x", true), u.valToPos(estimates[last]!, "y", true)];
  const radius = 4 * devicePixelRatio;
  u.ctx.save();
  u.ctx.fillStyle = colour("estimate");
  u.ctx.strokeStyle = colour("page");
  u.ctx.lineWidth = 2 * devicePixelRatio;
  u.ctx.setLineDash([]);
  u.ctx.beginPath();
  u.ctx.arc(x, y, radius, 0, 2 * Math.PI);
  u.ctx.fill();
  u.ctx.stroke();
  u.ctx.restore();
}

/** The estimate with its bands. Drag to zoom, double-click for all; arrows, + and - on the keyboard. */
export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const current = useRef({ props, plot: null as uPlot | null });
  current.current.props = props;

  useEffect(() => {
    const element = place.current!;
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    const plot = new uPlot(options(current.current, size().width, size().height), columns(props.series), element);
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
    current.current.plot?.setData(columns(props.series), true);
  }, [props.series, props.from, props.to, props.devices]);

  const move = (event: KeyboardEvent) => {
    const { plot } = current.current;
    const { series, from, to, onZoom } = props;
    if (!plot || event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = series.period
      .map((period, row) => ({ period, row }))
      .filter(({ period }) => period >= from && period <= to);
    const [first, last] = [shown[0]?.row ?? 0, shown[shown.length - 1]?.row ?? 0];
    const width = to - from;
    const at = plot.cursor.idx ?? last;
    const step = event.shiftKey ? Math.max(1, Math.round(width / 10)) : 1;
    const point = (row: number) => {
      const inside = Math.min(Math.max(row, first), last);
      plot.setCursor({ left: plot.valToPos(series.period[inside]!, "x"), top: 1 });
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
