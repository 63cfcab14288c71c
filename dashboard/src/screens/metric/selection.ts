import type { Estimator } from "../../collector/api";
import type { Shown } from "../../estimates/use_bands";
import { useRoute } from "../../state/route";

export const estimators: { value: Estimator; label: string; hint: string }[] = [
  { value: "online", label: "Online", hint: "Each period from the reports due by its end: what was known then." },
  { value: "hindsight", label: "Hindsight", hint: "Past periods improved by what came later." },
  {
    value: "trend",
    label: "Trend",
    hint: "Assumes that the count moves in small random steps: a narrower band if that is so.",
  },
];
export const bands: { value: Shown; label: string; hint: string }[] = [
  { value: "pointwise", label: "Each period", hint: "Holds for any one period." },
  { value: "simultaneous", label: "All at once", hint: "Holds for all periods together." },
  { value: "both", label: "Both", hint: "The inner band for each period, the outer for all at once." },
];
export const levels = ["0.8", "0.95", "0.99"];

const oneOf = <T extends string>(values: readonly T[], text: string | null, otherwise: T): T =>
  values.includes(text as T) ? (text as T) : otherwise;

/** What of a metric is shown. Its link keeps all of it. */
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
  return {
    estimator: oneOf(
      estimators.map((e) => e.value),
      query.get("estimator"),
      "online",
    ),
    shown: oneOf(
      bands.map((b) => b.value),
      query.get("band"),
      "both",
    ),
    level: Number(oneOf(levels, query.get("level"), "0.95")),
    from: Math.max(1, number("from", 1)),
    // Without an end the range follows the metric as it grows.
    to: Math.min(Math.max(2, gone), number("to", Math.max(2, gone))),
  };
}
