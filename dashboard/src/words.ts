// Numbers as people say them. A number is never more precise than its noise.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const tidy = (text: string) => text.replace(/^-0$/, "0").replace(/^-/, "\u2212");
export const count = (n: number) => tidy(whole.format(n));
export const compact = (n: number) => tidy(short.format(n));

export function percent(share: number): string {
  const value = share * 100;
  const digits = value === 0 || value >= 99.95 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3;
  return `${Number(value.toFixed(digits))}%`;
}

/** Writes a bound with two digits, never as less than it is. */
export function roundedUp(bound: number): string {
  if (!(bound > 0)) return "0";
  const digits = Math.max(0, 1 - Math.floor(Math.log10(bound)));
  const rounded = Math.ceil(bound * 10 ** digits - 1e-9) / 10 ** digits;
  return rounded.toLocaleString("en", { maximumFractionDigits: digits });
}

/** Makes a sentence of words without a capital and a full stop. */
export const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

/** Says `count` things, with an s unless there is one. */
export const many = (n: number, thing: string) => `${count(n)} ${thing}${n === 1 ? "" : "s"}`;

/** Rounds up to two significant digits: noise is not made smaller than it is. */
export function roundNoise(halfWidth: number): number {
  if (!(halfWidth > 0)) return 0;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(halfWidth)) - 1);
  return Math.ceil(halfWidth / step - 1e-9) * step;
}

/** Rounds to the same place as its noise: 41,237 with noise of 3,600 is 41,200. */
export function roundLike(value: number, halfWidth: number): number {
  const step = halfWidth > 0 ? 10 ** Math.max(0, Math.floor(Math.log10(halfWidth)) - 1) : 1;
  return Math.round(value / step) * step + 0;
}

/** Returns e^epsilon, the factor that no ratio of likelihoods exceeds. */
export const timesLikelier = (epsilon: number) => Math.exp(epsilon).toFixed(epsilon < 3 ? 2 : 0);

/** How many decimals of a percentage its noise allows: at most the first digit that it moves. */
const digitsFor = (noise: number) => (noise >= 0.02 ? 0 : noise >= 0.002 ? 1 : noise >= 0.0002 ? 2 : 3);

/** Writes a share with as many decimals as its noise allows. */
export function percentLike(share: number, noise: number): string {
  return `${(share * 100).toFixed(digitsFor(noise))}%`.replace(/^-0(\.0+)?%$/, "0%").replace("-", "\u2212");
}

/** Writes the noise of a share to the same place, never as less than it is: "8" beside "64%". */
export function pointsLike(noise: number): string {
  const scale = 10 ** digitsFor(noise);
  return (Math.ceil(noise * 100 * scale - 1e-9) / scale).toFixed(digitsFor(noise));
}

/** Writes a share beside its noise: "64% ± 8". */
export const shareSaid = (share: number, noise: number) => `${percentLike(share, noise)} ± ${pointsLike(noise)}`;

export interface Saying {
  value: string;
  of: string;
  giveOrTake: string;
  /** The same as a share of the devices, with its noise in percentage points. */
  share: string;
  points: string;
  /** Noise can take an estimate below none or above all. Then this is where it is. */
  beyond: string | null;
}

/** Returns null while the noise is wider than the answer could ever be: then there is nothing to say. */
export function saying(estimate: number | null, halfWidth: number | null, devices: number): Saying | null {
  if (estimate === null || halfWidth === null || devices === 0 || halfWidth * 2 >= devices) return null;
  const rounded = roundLike(estimate, halfWidth);
  const inside = Math.min(Math.max(rounded, 0), devices);
  // The share comes from the estimate itself: rounding twice could move its last digit.
  const share = Math.min(Math.max(estimate / devices, 0), 1);
  return {
    value: count(inside),
    of: many(devices, "device"),
    giveOrTake: count(roundNoise(halfWidth)),
    share: percentLike(share, halfWidth / devices),
    points: pointsLike(halfWidth / devices),
    beyond: inside === rounded ? null : count(rounded),
  };
}

const units: [number, string][] = [
  [604800, "week"],
  [86400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** Writes a length of time in the largest unit that fits without a rest: 30 days are 30 days, not 4 weeks. */
export function duration(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds >= size && seconds % size === 0) ?? [1, "second"];
  return many(seconds / size, unit);
}
