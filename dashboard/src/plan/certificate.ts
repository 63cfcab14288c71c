// The privacy certificate of a plan, recomputed in the reader's browser from the plan's integers in
// exact arithmetic: max P / min P <= E <= e^epsilon. [OWW22] property I. Of a quiet law it is P over the
// law of symbols without a change (core/law/quiet.md), and of a weighted law the chance of a side over its share
// of all vectors (core/law/innovation.md).
import type { Law, Plan } from "../collector/api";
import { allVectors, loudShare, totalWeight } from "./score_table";

export interface Fraction {
  top: bigint;
  bottom: bigint;
}

const two64 = 1n << 64n;

const over = (top: bigint, bottom: bigint): Fraction => ({ top, bottom });
export const isAtMost = (a: Fraction, b: Fraction) => a.top * b.bottom <= b.top * a.bottom;

/** C(k, 0), ..., C(k, k). */
function binomials(k: number): bigint[] {
  const row = [1n];
  for (let i = 1; i <= k; ++i) row.push((row[i - 1]! * BigInt(k - i + 1)) / BigInt(i));
  return row;
}

/** How many of the (2^16)^k units of a quiet law's symbols without a change have a sum above tau. */
function loudUnits({ signs, speak, tau }: Law): bigint {
  const half = BigInt(speak!) / 2n;
  const silent = (1n << 16n) - BigInt(speak!);
  // Coefficients of (half / x + silent + half x)^k, one factor at a time; element k + score at the end.
  let units = [1n];
  for (let factors = 0; factors < signs; ++factors) {
    const at = (s: number) => units[s] ?? 0n;
    units = Array.from({ length: units.length + 2 }, (_, s) => half * (at(s) + at(s - 2)) + silent * at(s - 1));
  }
  return units.slice(signs + tau! + 1).reduce((sum, n) => sum + n, 0n);
}

/** P, up to a factor, at the numbers of minus signs between which it is monotone: its extremes are among them. */
function extremes(law: Law & { shape: Exclude<Law["shape"], "weighted_threshold"> }): Fraction[] {
  const k = BigInt(law.signs);
  const flip = BigInt(law.flip ?? 0);
  const keep = two64 - flip;
  switch (law.shape) {
    case "threshold": {
      const low = binomials(law.signs)
        .slice(0, law.tau! + 1)
        .reduce((sum, n) => sum + n, 0n);
      const lowSide = BigInt(law.low_side!);
      return [over(lowSide, low), over(two64 - lowSide, (1n << k) - low)];
    }
    case "product":
      return [over(keep ** k, 1n), over(flip ** k, 1n)];
    case "single":
      return [over(keep, 1n), over(flip, 1n)];
    case "quiet": {
      const loud = loudUnits(law);
      const loudSide = BigInt(law.loud_side!);
      return [over(loudSide, loud), over(two64 - loudSide, (1n << (16n * k)) - loud)];
    }
    case "annulus": {
      const vectors = binomials(law.signs);
      const [first, last] = [law.first_kept!, law.last_kept!];
      const product = (i: number) => flip ** BigInt(i) * keep ** (k - BigInt(i));
      let mass = 0n;
      let outside = 0n;
      vectors.forEach((n, i) => {
        if (i >= first && i <= last) return;
        mass += n * product(i);
        outside += n;
      });
      const inside = [over(product(first), 1n), over(product(last), 1n)];
      return outside > 0n ? [...inside, over(mass, outside)] : inside;
    }
  }
}

/**
 * Of a weighted law: likelihoods are T / Q on the loud side and (1 - T) / (1 - Q) on the other. Q lies between
 * two bounds, of which each ratio takes the worse. Null where the law is refused: its numbers do not fit
 * together, a side is too rare to be drawn, or the loud side is taken more rarely than by chance.
 */
function weightedRatio(law: Law): Fraction | null {
  const [stocks, weights, gaps] = [law.stocks!, law.weights!, law.gaps!];
  const levels = stocks.length;
  const fits =
    levels >= 2 &&
    weights.length === levels &&
    gaps.length === levels &&
    stocks.every((n) => n >= 1) &&
    weights.every((w) => w >= 1 && w < 2 ** 16) &&
    gaps.every((gap, l) => gap >= 1 && gap <= (l === 0 ? 2 ** 40 : gaps[l - 1]!)) &&
    stocks.reduce((sum, n) => sum + n, 0) === law.signs &&
    stocks.reduce((sum, n, l) => sum + n * weights[l]! ** 2, 0) <= 2 ** 26 &&
    law.theta! >= 1 &&
    law.theta! <= totalWeight(law);
  if (!fits) return null;
  const { atLeast, atMost } = loudShare(law);
  const least = allVectors / 1024n;
  const loud = BigInt(law.loud_side!);
  if (atLeast < least || atMost > allVectors - least || loud < 2n * atMost) return null;
  const rest = two64 - loud;
  const forward = over(loud * (allVectors - atLeast), rest * atLeast);
  const backward = over(rest * atMost, loud * (allVectors - atMost));
  return isAtMost(forward, backward) ? backward : forward;
}

/** Null for a law that a device refuses whatever epsilon is. */
export function lossRatio(law: Law): Fraction | null {
  if (law.shape === "weighted_threshold") return weightedRatio(law);
  const all = extremes({ ...law, shape: law.shape });
  const most = all.reduce((a, b) => (isAtMost(a, b) ? b : a));
  const least = all.reduce((a, b) => (isAtMost(a, b) ? a : b));
  return over(most.top * least.bottom, most.bottom * least.top);
}

/** The first terms of the series of e^epsilon: a rational just below it. */
export function belowExp(epsilon: string): Fraction {
  const [whole, decimals = ""] = epsilon.split(".");
  const scale = 10n ** BigInt(decimals.length);
  const value = BigInt(`${whole}${decimals}`);
  let [top, bottom, term] = [1n, 1n, 1n];
  for (let i = 1n; i <= 128n; ++i) {
    term *= value;
    top = top * scale * i + term;
    bottom *= scale * i;
  }
  return over(top, bottom);
}

/** To `digits` decimals, cut off. */
export function decimal({ top, bottom }: Fraction, digits: number): string {
  const scaled = ((top * 10n ** BigInt(digits)) / bottom).toString().padStart(digits + 1, "0");
  return `${scaled.slice(0, -digits)}.${scaled.slice(-digits)}`;
}

export interface ViewCertificate {
  /** Null if the law is refused whatever epsilon is. */
  ratio: Fraction | null;
  bound: Fraction;
  certified: boolean;
}

/** Whether its certificate takes so long that it would hold up the page. */
const isLong = ({ shape, signs }: Law) => shape === "annulus" && signs > 256;

/** Null for a law that only devices certify. */
export function certifyPlan(plan: Plan): (ViewCertificate | null)[] {
  const bound = belowExp(plan.epsilon);
  return plan.views.map(({ law }) => {
    if (isLong(law)) return null;
    const ratio = lossRatio(law);
    return { ratio, bound, certified: ratio !== null && isAtMost(ratio, bound) };
  });
}
