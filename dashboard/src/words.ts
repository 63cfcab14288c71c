// Numbers as people say them. A number is never more precise than its noise.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

const tidy = (text: string) => text.replace(/^-0$/, "0").replace(/^-/, "\u2212");
export const count = (n: number) => tidy(whole.format(n));
export const compact = (n: number) => tidy(short.format(n));

export function percent(share: number): string {
  const value = share * 100;
  const digits = value === 0 || value >= 99.95 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3;
  return `${value.toFixed(digits)}%`;
}

/** `count` things, with an s unless there is one. */
export const many = (n: number, thing: string) => `${count(n)} ${thing}${n === 1 ? "" : "s"}`;

/** Two significant digits, rounded up: noise is not made smaller than it is. */
export function roundNoise(halfWidth: number): number {
  if (!(halfWidth > 0)) return 0;
  const step = 10 ** Math.max(0, Math.floor(Math.log10(halfWidth)) - 1);
  return Math.ceil(halfWidth / step - 1e-9) * step;
}

/** To the same place as its noise: 41,237 with noise of 3,600 is 41,200. */
export function roundLike(value: number, halfWidth: number): number {
  const step = halfWidth > 0 ? 10 ** Math.max(0, Math.floor(Math.log10(halfWidth)) - 1) : 1;
  return Math.round(value / step) * step + 0;
}

/** e^epsilon, as the factor that no ratio of likelihoods exceeds. */
export const timesLikelier = (epsilon: number) => Math.exp(epsilon).toFixed(epsilon < 3 ? 2 : 0);

export interface Saying {
  value: string;
  of: string;
  giveOrTake: string;
}

/** Null while the noise is wider than the answer could ever be: then there is nothing to say. */
export function saying(estimate: number | null, halfWidth: number | null, devices: number): Saying | null {
  if (estimate === null || halfWidth === null || devices === 0 || halfWidth * 2 >= devices) return null;
  const rounded = roundLike(estimate, halfWidth);
  return {
    value: count(Math.min(Math.max(rounded, 0), devices)),
    of: many(devices, "device"),
    giveOrTake: count(roundNoise(halfWidth)),
  };
}

const units: [number, string][] = [
  [604800, "week"],
  [86400, "day"],
  [3600, "hour"],
  [60, "minute"],
  [1, "second"],
];

export function duration(seconds: number): string {
  for (const [size, unit] of units) {
    if (seconds >= size && (seconds % size === 0 || seconds >= 2 * size)) return many(Math.round(seconds / size), unit);
  }
  return many(Math.round(seconds), "second");
}

const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const minute = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export interface Clock {
  start?: number | null;
  period_seconds?: number | null;
}

const dayOfYear = new Intl.DateTimeFormat("en", { day: "numeric", month: "short" });

/** The same for an axis, where room is scarce. */
export function periodTick(clock: Clock, period: number): string {
  const { start, period_seconds } = clock;
  if (start == null || period_seconds == null) return String(period);
  if (period_seconds < 3600) return periodDate(clock, period)!.replace(/^.*, /, "");
  return dayOfYear.format(new Date((start + (period - 1) * period_seconds) * 1000));
}

/** When a period begins, or null if the metric's clock is moved by hand. */
export function periodDate(clock: Clock, period: number): string | null {
  if (clock.start == null || clock.period_seconds == null) return null;
  const at = new Date((clock.start + (period - 1) * clock.period_seconds) * 1000);
  return (clock.period_seconds >= 86400 ? day : minute).format(at);
}
