// Rows of labels: as curves of shares, as a stack, and the leading one in words.
import type { PeriodEstimate } from "../collector/api";
import { twoSidedQuantile } from "./movement";
import type { Column, Series } from "./series";

/** All rows of one label. */
export interface Curve {
  label: string;
  rows: PeriodEstimate[];
}

/** The palette has this many colours for curves. */
export const mostCurves = 7;

/** Groups rows by label, in the order in which labels first appear. */
export function curvesOf(rows: PeriodEstimate[]): Curve[] {
  const byLabel = new Map<string, PeriodEstimate[]>();
  for (const row of rows) {
    const label = row.label ?? "";
    const found = byLabel.get(label);
    if (found) found.push(row);
    else byLabel.set(label, [row]);
  }
  return [...byLabel].map(([label, rows]) => ({ label, rows }));
}

/**
 * Picks a colour for each label. A label keeps the colour of its place in the plan, so that it does not change when
 * another label overtakes it. If two want the same colour, the second one gets the next free colour.
 */
export function curveColours(labels: string[], plan: string[]): string[] {
  const taken = new Set<number>();
  return labels.map((label, i) => {
    const place = plan.indexOf(label);
    let colour = (place < 0 ? i : place) % mostCurves;
    while (taken.has(colour) && taken.size < mostCurves) colour = (colour + 1) % mostCurves;
    taken.add(colour);
    return `curve-${colour}`;
  });
}

/** The shares of one label. */
export function shareSeries({ rows }: Curve): Series {
  const none = rows.map(() => null);
  return {
    period: rows.map((at) => at.period),
    estimate: rows.map((at) => at.share),
    lower: rows.map((at) => at.share_lower),
    upper: rows.map((at) => at.share_upper),
    lowerAll: none,
    upperAll: none,
    complete: rows.map((at) => (at.expected > 0 ? Math.min(1, at.reports / at.expected) : null)),
    truth: null,
  };
}

export interface Layer {
  lower: Column;
  upper: Column;
}

/**
 * Stacks shares. Noise can make a share negative or the sum larger than all: then the share is drawn as 0, and the stack is
 * scaled. If the curves are not `whole`, a last layer holds the other labels.
 */
export function stackOf(curves: Curve[], whole: boolean): Layer[] {
  const periods = curves[0]?.rows.length ?? 0;
  const layers: Layer[] = Array.from({ length: curves.length + (whole ? 0 : 1) }, () => ({ lower: [], upper: [] }));
  for (let i = 0; i < periods; ++i) {
    const shares = curves.map(({ rows }) => rows[i]?.share ?? null);
    const known = shares.every((share) => share !== null);
    const parts = shares.map((share) => Math.max(0, share ?? 0));
    const sum = parts.reduce((total, part) => total + part, 0);
    const total = whole ? sum || 1 : Math.max(1, sum);
    if (!whole) parts.push(total - sum);
    let height = 0;
    parts.forEach((part, layer) => {
      layers[layer]!.lower.push(known ? height / total : null);
      height += part;
      layers[layer]!.upper.push(known ? height / total : null);
    });
  }
  return layers;
}

export interface Leader {
  first: PeriodEstimate;
  /** Half of the first one's range, as a share. */
  noise: number;
  /** The second label, if noise alone could have put it second. */
  close: PeriodEstimate | null;
}

/** Returns null if nothing is known, or if the noise is as wide as the answer could be. */
export function leaderOf(rows: PeriodEstimate[], level: number): Leader | null {
  const known = rows.filter((at) => at.share !== null && at.stddev !== null && at.devices > 0);
  const [first, second] = known.sort((a, b) => b.share! - a.share!);
  if (!first) return null;
  const noise = (first.share_upper ?? Infinity) - first.share!;
  if (!(2 * noise < 1)) return null;
  const apart = second && (twoSidedQuantile(1 - level) * Math.hypot(first.stddev!, second.stddev!)) / first.devices;
  return { first, noise, close: second && first.share! - second.share! <= apart! ? second : null };
}
