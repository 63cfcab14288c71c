// Symbols -1, 0 and +1, mostly 0 where nothing changes (core/law/quiet.md). A fair coin is the symbol
// that always speaks.
import type { Law } from "../collector/api";

const units = 2 ** 16;

/** How often a position without a change is not silent. */
export const speakingShare = ({ speak = units }: Law) => speak / units;

/** n symbols as they are where nothing changes. */
export function drawUnchanged({ speak = units }: Law, n: number): number[] {
  return [...crypto.getRandomValues(new Uint16Array(n))].map((unit) => (unit < speak / 2 ? -1 : unit < speak ? 1 : 0));
}

/** The vector b of a quiet law, by rejection: its side first, then symbols until they are on it. */
export function drawQuiet(law: Law): number[] {
  const loud = crypto.getRandomValues(new BigUint64Array(1))[0]! < BigInt(law.loud_side!);
  for (;;) {
    const b = drawUnchanged(law, law.signs);
    if (sum(b) > law.tau! === loud) return b;
  }
}

const sum = (terms: number[]) => terms.reduce((total, term) => total + term, 0);

/** How likely the sum of n unchanged symbols is -n, ..., n: element n + score. */
function scores(law: Law, n: number): number[] {
  const share = speakingShare(law);
  let all = [1];
  for (let factors = 0; factors < n; ++factors) {
    const at = (s: number) => all[s] ?? 0;
    all = Array.from({ length: all.length + 2 }, (_, s) => (share / 2) * (at(s) + at(s - 2)) + (1 - share) * at(s - 1));
  }
  return all;
}

/** ln of the likelihood of the symbols `used` of b against unchanged ones, whatever the rest of b is. */
export function lnQuietRatio(law: Law, used: number[]): number {
  const k = law.signs;
  const loud = Number(law.loud_side!) / 2 ** 64;
  const above = (n: number, tau: number) => sum(scores(law, n).slice(Math.max(0, n + tau + 1)));
  const share = above(k, law.tau!);
  const rest = above(k - used.length, law.tau! - sum(used));
  return Math.log((rest * loud) / share + ((1 - rest) * (1 - loud)) / (1 - share));
}
