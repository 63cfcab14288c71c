import { useMemo } from "preact/hooks";
import { verticalRange, type Series } from "../estimates/series";
import { Plot, type Drawing, type PlotProps } from "./plot";

export interface ChartProps extends Omit<PlotProps, "drawing"> {
  series: Series;
  devices: number;
}

/** The drawing of an estimate with its bands, where `devices` is the most that there could be. */
export function drawingOf(series: Series, devices: number): Drawing {
  const none = series.period.map(() => null);
  const { second } = series;
  return {
    period: series.period,
    areas: [
      { upper: series.upperAll, lower: series.lowerAll, colour: "band-all" },
      { upper: series.upper, lower: series.lower, colour: "band" },
      { upper: second?.upper ?? none, lower: second?.lower ?? none, colour: "second-band" },
    ],
    lines: [
      { values: series.estimate, colour: "estimate" },
      { values: series.noisy ?? none, colour: "edge", width: 1.25 },
      { values: series.truth ?? none, colour: "truth", width: 1.75, dash: [5, 4] },
      { values: second?.estimate ?? none, colour: "second", dash: [9, 3] },
    ],
    // Two metrics need not have their periods at the same times.
    spanGaps: second !== undefined,
    range: (from, to) => verticalRange(series, from, to, devices),
  };
}

/** The estimate with its bands. */
export function Chart({ series, devices, ...rest }: ChartProps) {
  const drawing = useMemo(() => drawingOf(series, devices), [series, devices]);
  return <Plot drawing={drawing} {...rest} />;
}
