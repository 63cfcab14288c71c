import { readNumber, type Scale } from "../../parts/number_slider";
import { count, percent } from "../../words";

const decades = (from: number, to: number) => {
  const steps: number[] = [];
  for (let decade = from; decade < to; decade *= 10) {
    steps.push(...[1, 1.5, 2, 3, 5, 7].map((n) => Math.round(n * decade * 1e6) / 1e6));
  }
  return [...steps, to];
};
const powers = (most: number) => Array.from({ length: most + 1 }, (_, i) => 2 ** i);

/** What a plan depends on, within the limits of the collector's call. */
export const scales = {
  users: {
    label: "Devices",
    steps: decades(100, 100_000_000),
    least: 1,
    most: 2 ** 40,
    whole: true,
    start: 100_000,
    text: count,
    read: readNumber,
  },
  periods: {
    label: "Periods",
    steps: powers(14),
    least: 1,
    most: 2 ** 16,
    whole: true,
    start: 256,
    text: count,
    read: readNumber,
  },
  changes: {
    label: "Changes of a device, at most",
    steps: [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64],
    least: 1,
    most: 256,
    whole: true,
    start: 4,
    text: count,
    read: readNumber,
  },
  epsilon: {
    label: "Privacy budget ε",
    steps: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8],
    least: 0.001,
    most: 16,
    start: 1,
    text: String,
    read: readNumber,
  },
  target_error: {
    label: "Error you can live with",
    steps: [0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1],
    least: 0.00001,
    most: 1,
    start: 0.01,
    text: percent,
    // It is typed in percent, with or without the sign, and divided so that 7% is 0.07 and not a neighbour of it.
    read: (text: string) => Number((readNumber(text.replace("%", "")) / 100).toPrecision(12)),
  },
} satisfies Record<string, Scale & { start: number }>;

/** A list of labels is planned by its length. */
export const labelScale: Scale & { start: number } = {
  label: "Labels",
  steps: [2, 3, 4, 5, 8, 10, 16, 32, 64, 100, 256, 1000, 1024, 4096, 16_384, 65_536],
  least: 2,
  most: 65_536,
  whole: true,
  start: 16,
  text: count,
  read: readNumber,
};
export const bucketCounts = [8, 16, 32, 64, 128, 256, 512, 1024];

export type PlannedKind = "yes_no" | "category" | "distribution";

export type Name = keyof typeof scales;
export const names = Object.keys(scales) as Name[];
export type Wanted = Record<Name, number>;
