import type { Estimator } from "../../collector/api";
import { estimatorNamed, levelNamed, oneOf, ranges } from "../../estimates/options";
import type { Shown } from "../../estimates/use_bands";
import { useRoute } from "../../state/route";

/** The part of a metric that is shown. Its link keeps all of it. */
export interface Selection {
  estimator: Estimator;
  shown: Shown;
  level: number;
  from: number;
  to: number;
}

/** The selection that the link holds, where `gone` periods are over. */
export function useSelection(gone: number): Selection {
  const { query } = useRoute();
  const number = (key: string, otherwise: number) => Number(query.get(key)) || otherwise;
  const shown = ranges.map(({ value }) => value);
  return {
    estimator: estimatorNamed(query.get("estimator")),
    shown: oneOf(shown, query.get("band"), "both"),
    level: levelNamed(query.get("level")),
    from: Math.max(1, number("from", 1)),
    // Without an end the range follows the metric as it grows.
    to: Math.min(Math.max(2, gone), number("to", Math.max(2, gone))),
  };
}
