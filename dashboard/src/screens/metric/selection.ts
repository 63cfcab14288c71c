import type { Estimator } from "../../collector/api";
import { estimatorNamed, levelNamed, oneOf, ranges } from "../../estimates/options";
import type { Shown } from "../../estimates/use_bands";
import { keepInLink, useRoute } from "../../state/route";

/** The part of a metric that is shown. Its link keeps all of it. */
export interface Selection {
  estimator: Estimator;
  shown: Shown;
  /** Counts of devices, or shares of each period's devices. */
  as: "count" | "share";
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
    shown: oneOf(shown, query.get("band"), "pointwise"),
    as: oneOf(["count", "share"], query.get("as"), "count"),
    level: levelNamed(query.get("level")),
    from: Math.max(1, number("from", 1)),
    // Without an end the range follows the metric as it grows.
    to: Math.min(Math.max(2, gone), number("to", Math.max(2, gone))),
  };
}

/** Keeps a range of periods in the link, if it is worth a chart. */
export function zoomTo(from: number, to: number, last: number): void {
  const [least, most] = [Math.max(1, from), Math.min(last, to)];
  if (most - least < 2) return;
  keepInLink({ from: least <= 1 ? undefined : least, to: most >= last ? undefined : most });
}

export const looks = [
  { value: "lines", label: "Lines", hint: "Each label as a line with its range." },
  { value: "stack", label: "Stack", hint: "All labels on top of each other, as parts of the whole." },
] as const;

export const windows = ["1", "4", "16", "64"] as const;

/** What else is shown of labels and distributions. */
export interface ValueSelection {
  look: "lines" | "stack";
  /** The number of periods that each figure is the mean of. */
  window: number;
  /** The period that is shown by itself. */
  at: number;
  /** The texts that the reader asked for. */
  texts: string[];
}

export function useValueSelection(gone: number): ValueSelection {
  const { query } = useRoute();
  const at = Math.round(Number(query.get("at")));
  return {
    look: oneOf(["lines", "stack"], query.get("look"), "lines"),
    window: Math.min(Number(oneOf(windows, query.get("window"), "1")), Math.max(1, gone)),
    at: at >= 1 && at <= gone ? at : gone,
    texts: (query.get("texts") ?? "").split("\n").filter((text) => text !== ""),
  };
}

/** Returns the first period to ask for, if an answer holds at most this many rows of `figures` a period. */
export const firstAsked = ({ from, to }: Selection, figures: number, most = 24_000) =>
  Math.max(from, to - Math.floor(most / figures) + 1);
