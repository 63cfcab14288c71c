// How the score of a weighted law is distributed over fair signs, by adding one sign at a time. The
// tables are over the weight of the minus signs (core/law/shapes/score_table.hpp).
import type { Law } from "../collector/api";

interface Level {
  stock: number;
  weight: number;
}

const levelsOf = ({ stocks, weights }: Law): Level[] =>
  stocks!.map((stock, l) => ({ stock, weight: weights![l]! })).sort((a, b) => a.weight - b.weight);

export const totalWeight = ({ stocks, weights }: Law) => stocks!.reduce((sum, n, l) => sum + n * weights![l]!, 0);

/** The score is at least theta exactly where the minus signs weigh at most this much. */
export const mostMinus = (law: Law) => Math.floor((totalWeight(law) - law.theta!) / 2);

/** Calls `add` once for each sign, light ones first, with the window that 9 standard deviations span. */
function addSigns(law: Law, add: (weight: number, first: number, last: number) => void): void {
  let [sum, squares, first, last] = [0, 0, 0, 0];
  for (const { stock, weight } of levelsOf(law)) {
    for (let i = 0; i < stock; ++i) {
      sum += weight;
      squares += weight * weight;
      const reach = 9 * (Math.floor(Math.sqrt(squares)) + 1);
      first = Math.max(first, sum > reach ? Math.floor((sum - reach) / 2) : 0);
      last = Math.min(last + weight, Math.floor((sum + reach + 1) / 2));
      add(weight, first, last);
    }
  }
}

const one = 1n << 63n;

/** The share of all vectors that is loud, between two bounds in units of 2^-63. */
export interface LoudShare {
  atLeast: bigint;
  atMost: bigint;
}

/**
 * In 64-bit integers that round down, as halves of 32 bits: what is rounded or cut off only lowers it.
 * Exact up to 63 signs.
 */
export function loudShare(law: Law): LoudShare {
  const room = Math.max(...law.weights!);
  const size = totalWeight(law) + 1 + 2 * room;
  let [high, low] = [new Uint32Array(size), new Uint32Array(size)];
  let [nextHigh, nextLow] = [new Uint32Array(size), new Uint32Array(size)];
  high[room] = 2 ** 31;
  let [start, end] = [0, 0];
  addSigns(law, (weight, first, last) => {
    for (let at = room + first; at <= room + last; ++at) {
      const lowSum = low[at]! + low[at - weight]!;
      const highSum = high[at]! + high[at - weight]! + (lowSum > 0xffffffff ? 1 : 0);
      nextHigh[at] = highSum >>> 1;
      nextLow[at] = ((highSum & 1) << 31) | ((lowSum >>> 1) & 0x7fffffff);
    }
    for (const half of [nextHigh, nextLow]) {
      half.fill(0, first, first + room);
      half.fill(0, room + last + 1, room + last + 1 + room);
    }
    [high, nextHigh] = [nextHigh, high];
    [low, nextLow] = [nextLow, low];
    [start, end] = [first, last];
  });
  const upTo = (minus: number) => {
    let [highs, lows] = [0, 0];
    for (let at = room + start; at <= room + Math.min(minus, end); ++at) {
      highs += high[at]!;
      lows += low[at]!;
    }
    return (BigInt(highs) << 32n) + BigInt(lows);
  };
  const loud = upTo(mostMinus(law));
  return { atLeast: loud, atMost: loud + (one - upTo(end)) };
}

export const allVectors = one;

/** The same in floating point, for what is only explained: the chance of each weight of minus signs. */
export function scoreShares(law: Law): Float64Array {
  const size = totalWeight(law) + 1;
  let [from, to] = [new Float64Array(size), new Float64Array(size)];
  from[0] = 1;
  let before = { first: 0, last: 0 };
  addSigns(law, (weight, first, last) => {
    const inside = (m: number) => (m >= before.first && m <= before.last ? from[m]! : 0);
    for (let m = first; m <= last; ++m) to[m] = (inside(m) + inside(m - weight)) / 2;
    [from, to] = [to, from];
    before = { first, last };
  });
  return from.map((share, m) => (m >= before.first && m <= before.last ? share : 0));
}

/** The shares of all but one sign of this weight. Errors alternate in sign and do not grow. */
export function withoutSign(shares: Float64Array, weight: number): Float64Array {
  const others = new Float64Array(shares.length);
  for (let m = 0; m < shares.length; ++m) {
    others[m] = Math.max(0, 2 * shares[m]! - (m >= weight ? others[m - weight]! : 0));
  }
  return others;
}
