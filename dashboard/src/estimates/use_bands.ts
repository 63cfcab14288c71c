import { getEstimates, type Band, type Estimates, type Estimator } from "../collector/api";
import { useLoad } from "../state/connection";

/** Bands that hold for each period on its own, for all periods at once, or both. */
export type Shown = Band | "both";

interface Both {
  pointwise: Estimates;
  simultaneous: Estimates | null;
}

export interface Asked {
  estimator: Estimator;
  level: number;
  shown: Shown;
  /** Only the devices of this segment; null or none: all. */
  segment?: string | null;
}

/** The estimates of a metric with the bands that are shown. */
export function useBands(name: string, { estimator, level, shown, segment = null }: Asked, tick: number) {
  const load = async (signal: AbortSignal) => {
    const ask = (band: Band) => getEstimates(name, estimator, level, band, segment, signal);
    const [pointwise, simultaneous] = await Promise.all([
      ask("pointwise"),
      shown === "pointwise" ? null : ask("simultaneous"),
    ]);
    return { pointwise, simultaneous };
  };
  return useLoad<Both>(`${name} ${estimator} ${level} ${shown} ${segment}`, tick, load, `${name} ${segment}`);
}
