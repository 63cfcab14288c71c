// One device, for show: what it holds, what it sends, and what that gives away. The real device draws
// from the same integers without floating point (core/randomizer); this one explains.
import type { Law, View } from "../collector/api";
import { drawQuiet, lnQuietRatio, speakingShare } from "./quiet";

const two64 = 2 ** 64;

function lnChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; ++i) sum += Math.log((n - k + i) / i);
  return sum;
}

function lnSum(terms: number[]): number {
  const most = Math.max(...terms);
  return most === -Infinity ? most : most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));
}

const counts = (least: number, most: number) =>
  Array.from({ length: Math.max(0, most - least + 1) }, (_, i) => least + i);

/** ln P(i): one given vector with i minus signs, of a law that is never silent. */
function lnProbabilities(law: Law): number[] {
  const k = law.signs;
  const flip = Number(law.flip ?? 0) / two64;
  const product = (i: number) => i * Math.log(flip) + (k - i) * Math.log1p(-flip);
  const all = counts(0, k);
  if (law.shape === "product") return all.map(product);
  if (law.shape === "single")
    return all.map((i) => Math.log((i * flip + (k - i) * (1 - flip)) / k) - (k - 1) * Math.LN2);
  if (law.shape === "threshold") {
    const low = Number(law.low_side!) / two64;
    const side = (from: number, to: number) => lnSum(counts(from, to).map((i) => lnChoose(k, i)));
    const inner = Math.log(low) - side(0, law.tau!);
    const outer = Math.log1p(-low) - side(law.tau! + 1, k);
    return all.map((i) => (i <= law.tau! ? inner : outer));
  }
  const kept = (i: number) => i >= law.first_kept! && i <= law.last_kept!;
  const outside = all.filter((i) => !kept(i));
  const flat = lnSum(outside.map((i) => lnChoose(k, i) + product(i))) - lnSum(outside.map((i) => lnChoose(k, i)));
  return all.map((i) => (kept(i) ? product(i) : flat));
}

const uniform = () => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32;

/** The vector b, drawn before any data. */
export function drawSigns(law: Law): number[] {
  if (law.shape === "quiet") return drawQuiet(law);
  const probabilities = lnProbabilities(law);
  let left = uniform();
  let minus = 0;
  while (minus < law.signs && (left -= Math.exp(lnChoose(law.signs, minus) + probabilities[minus]!)) > 0) ++minus;
  const signs: number[] = Array.from({ length: law.signs }, (_, i) => (i < minus ? -1 : 1));
  for (let i = signs.length - 1; i > 0; --i) {
    const j = Math.floor(uniform() * (i + 1));
    [signs[i], signs[j]] = [signs[j]!, signs[i]!];
  }
  return signs;
}

/** How far apart the indices are that one device reports, of as many as there are. */
export const stride = ({ kind, law }: View, indices: number) =>
  kind === "snapshot" ? Math.ceil(indices / law.signs) : 1;

/** Where a device reports, of as many indices as there are, from 0: `first` and every stride after it. */
export function positions(view: View, indices: number, first: number): number[] {
  const step = stride(view, indices);
  return counts(0, Math.ceil((indices - first) / step) - 1).map((i) => first + i * step);
}

/** The first of these positions: drawn on joining where a device reports only some of them. */
export const drawFirst = (view: View, indices: number) => Math.floor(uniform() * stride(view, indices));

/** What a view is about to report of these values: -1, 0 or +1 for each position. */
export function inputs(view: View, values: number[], first: number): number[] {
  return positions(view, values.length, first).map((i) =>
    view.kind === "changes" ? values[i]! - (values[i - 1] ?? 0) : 2 * values[i]! - 1,
  );
}

export interface Sent {
  sign: number;
  /** False: a fair coin, or mostly silence with a quiet law, which says nothing. Only the device knows which is which. */
  carries: boolean;
}

export function randomize(law: Law, b: number[], coins: number[], from: number[]): Sent[] {
  let used = 0;
  return from.map((input, i) => {
    if (input === 0 || used >= law.signs) return { sign: coins[i]!, carries: false };
    return { sign: input * b[used++]!, carries: true };
  });
}

/** What is sent: '+', '-' and, for silence, '0'. */
export const symbols = (signs: number[]) => signs.map((sign) => (sign > 0 ? "+" : sign < 0 ? "-" : "0")).join("");

/** ln of how likely these signs are, given what the device had to report. */
export function lnLikelihood(law: Law, from: number[], signs: number[]): number {
  const used = from.flatMap((input, i) => (input === 0 ? [] : [input * signs[i]!])).slice(0, law.signs);
  if (law.shape === "quiet") {
    const share = speakingShare(law);
    return lnQuietRatio(law, used) + signs.reduce((sum, sign) => sum + Math.log(sign === 0 ? 1 - share : share / 2), 0);
  }
  const minus = used.filter((sign) => sign < 0).length;
  const rest = law.signs - used.length;
  const probabilities = lnProbabilities(law);
  const vector = lnSum(counts(0, rest).map((more) => lnChoose(rest, more) + probabilities[minus + more]!));
  return vector - (from.length - used.length) * Math.LN2;
}
