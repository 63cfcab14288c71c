// What a reader may choose about estimates, in words.
import type { Estimator } from "../collector/api";
import type { Shown } from "./use_bands";

interface Option<T extends string> {
  value: T;
  label: string;
  hint: string;
}

export const estimators: Option<Estimator>[] = [
  {
    value: "online",
    label: "Online",
    hint: "As it could be known at the time: each period from the reports due by its end.",
  },
  { value: "hindsight", label: "Hindsight", hint: "As it is known now: past periods are improved by what came later." },
  {
    value: "trend",
    label: "Trend",
    hint: "Smoothed: if the count moves in small random steps, the ranges are narrower.",
  },
];

export const ranges: Option<Shown>[] = [
  { value: "pointwise", label: "One period", hint: "Each period's range holds for that period on its own." },
  { value: "simultaneous", label: "Whole curve", hint: "The ranges of all periods hold together." },
  { value: "both", label: "Both", hint: "The inner range is for one period, the outer for the whole curve." },
];

export const figures: Option<"count" | "share">[] = [
  { value: "count", label: "Count", hint: "How many devices." },
  { value: "share", label: "Share", hint: "Their share of the devices counted in each period." },
];

export const levels = ["0.8", "0.95", "0.99"];

/** Returns `text` if it is one of the values. */
export const oneOf = <T extends string>(values: readonly T[], text: string | null, otherwise: T): T =>
  values.includes(text as T) ? (text as T) : otherwise;

export const estimatorNamed = (text: string | null) =>
  oneOf(
    estimators.map(({ value }) => value),
    text,
    "online",
  );
export const levelNamed = (text: string | null) => Number(oneOf(levels, text, "0.95"));
