// A device of `innovation`, for show: at every period the sign of what is new about its value, under noise
// that was drawn before any data (core/law/innovation.md).
import type { Law } from "../collector/api";
import { mostMinus, scoreShares, withoutSign } from "./score_table";

const two64 = 2 ** 64;

/** Noise signs by level, before any is used. */
export type Stock = number[][];

/** By rejection: its side first, then fair signs until their score is on it. */
export function drawStock(law: Law): Stock {
  const loud = crypto.getRandomValues(new BigUint64Array(1))[0]! < BigInt(law.loud_side!);
  for (;;) {
    const bytes = crypto.getRandomValues(new Uint8Array(law.signs));
    let [at, score] = [0, 0];
    const stock = law.stocks!.map((n, l) =>
      Array.from({ length: n }, () => {
        const sign = bytes[at++]! & 1 ? 1 : -1;
        score += sign * law.weights![l]!;
        return sign;
      }),
    );
    if (score >= law.theta! === loud) return stock;
  }
}

/**
 * What is new at each period, in units of 2^-40: large just after a change, then fading, and settling at
 * plus or minus the last gap. A device holds no before it joins.
 */
export function newsOf(law: Law, values: number[]): number[] {
  const gaps = law.gaps!;
  const settled = gaps[gaps.length - 1]!;
  const fades = gaps.slice(1).map((gap, j) => gaps[j]! - gap);
  return values.map((value, t) => {
    let news = value * (gaps[0]! + settled) - settled;
    const lags = Math.min(t, fades.length);
    for (let j = 1; j <= lags; ++j) news -= fades[j - 1]! * values[t - j]!;
    return news;
  });
}

/** What a unit of news is worth: the news of a first yes is near 1. */
export const newsUnit = ({ gaps }: Law) => gaps![0]! + gaps![gaps!.length - 1]!;

/** The quietest level in stock that is loud enough for this news, or else the loudest in stock; -1: none is. */
function levelFor({ gaps, stocks }: Law, used: number[], news: number): number {
  let loudest = -1;
  for (let l = gaps!.length - 1; l >= 0; --l) {
    if (used[l]! >= stocks![l]!) continue;
    if (gaps![l]! >= Math.abs(news)) return l;
    loudest = l;
  }
  return loudest;
}

export interface SentNews {
  sign: number;
  /** False: a fair coin, which says nothing. */
  carries: boolean;
  /** Which level of noise carried it, from 0 for the freshest news. */
  level: number | null;
}

/** `coins` and `dice` (from 0 to 1) are one of each for every period, used or not. */
export function sendNews(law: Law, stock: Stock, coins: number[], dice: number[], values: number[]): SentNews[] {
  const used = law.stocks!.map(() => 0);
  return newsOf(law, values).map((news, t) => {
    const level = levelFor(law, used, news);
    if (level < 0 || dice[t]! * law.gaps![level]! >= Math.abs(news)) {
      return { sign: coins[t]!, carries: false, level: null };
    }
    return { sign: Math.sign(news) * stock[level]![used[level]!++]!, carries: true, level };
  });
}

interface Path {
  used: number[];
  /** The weight of the minus signs among those that were used. */
  minus: number;
  chance: number;
}

/**
 * ln of how likely these signs are, given the values: the mean, over which periods a noise sign carries, of
 * how likely the law makes the noise signs that were then used.
 */
export function lnNewsLikelihood(law: Law, values: number[], signs: number[]): number {
  let paths = new Map<string, Path>([["", { used: law.stocks!.map(() => 0), minus: 0, chance: 1 }]]);
  newsOf(law, values).forEach((news, t) => {
    const next = new Map<string, Path>();
    const add = (used: number[], minus: number, chance: number) => {
      const key = `${used} ${minus}`;
      const known = next.get(key);
      if (known) known.chance += chance;
      else next.set(key, { used, minus, chance });
    };
    for (const { used, minus, chance } of paths.values()) {
      const level = levelFor(law, used, news);
      const carried = level < 0 ? 0 : Math.min(1, Math.abs(news) / law.gaps![level]!);
      if (carried < 1) add(used, minus, chance * (1 - carried));
      if (carried === 0) continue;
      const more = used.map((n, l) => (l === level ? n + 1 : n));
      const weight = signs[t]! * Math.sign(news) < 0 ? law.weights![level]! : 0;
      add(more, minus + weight, chance * carried);
    }
    paths = next;
  });
  const rest = restOf(law);
  const most = mostMinus(law);
  const loud = upTo(rest(law.stocks!.map(() => 0)), most);
  const side = Number(law.loud_side!) / two64;
  let mean = 0;
  for (const { used, minus, chance } of paths.values()) {
    const share = upTo(rest(used), most - minus);
    mean += chance * ((share * side) / loud + ((1 - share) * (1 - side)) / (1 - loud));
  }
  return Math.log(mean) - signs.length * Math.LN2;
}

function upTo(shares: Float64Array, most: number): number {
  let sum = 0;
  for (let m = 0; m <= Math.min(most, shares.length - 1); ++m) sum += shares[m]!;
  return Math.min(1, sum);
}

/** Shares of the scores of the signs that are left, by how many of each level were used. */
function restOf(law: Law): (used: number[]) => Float64Array {
  const known = new Map<string, Float64Array>();
  const rest = (used: number[]): Float64Array => {
    const key = String(used);
    let shares = known.get(key);
    if (!shares) {
      const level = used.findIndex((n) => n > 0);
      shares =
        level < 0
          ? sharesOf(law)
          : withoutSign(rest(used.map((n, l) => (l === level ? n - 1 : n))), law.weights![level]!);
      known.set(key, shares);
    }
    return shares;
  };
  return rest;
}

/** The plan's own table takes a while to make, and a reader plays with one plan. */
let latest: { law: Law; shares: Float64Array } | null = null;
function sharesOf(law: Law): Float64Array {
  if (latest?.law !== law) latest = { law, shares: scoreShares(law) };
  return latest.shares;
}

/** What a sign of this level carries: by so much it says more often what is so than the opposite. */
export const carriedShare = ({ gaps }: Law, level: number) => gaps![level]! / 2 ** 40;
