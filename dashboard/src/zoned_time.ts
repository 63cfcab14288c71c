// Wall clocks of a time zone, by way of what the browser knows about it.

export const localZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** UTC and the reader's zone first, then all others. */
export function timeZones(): string[] {
  const others = Intl.supportedValuesOf?.("timeZone") ?? [];
  return [...new Set([localZone(), "UTC", ...others])];
}

/** Returns what a clock on the wall shows there at an instant, as "2026-01-31T12:00". */
export function wallTime(instant: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  }).formatToParts(instant);
  const part = (type: string) => parts.find((each) => each.type === type)!.value;
  return `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}`;
}

/**
 * Returns the instant, in seconds since 1970, at which a clock on the wall shows this time; NaN if the
 * text is no time. For a time that clocks show twice it is one of both; for one that they skip it is within an hour.
 */
export function instantOf(wall: string, zone: string): number {
  const asUtc = Date.parse(`${wall}Z`);
  if (Number.isNaN(asUtc)) return NaN;
  let instant = asUtc;
  // The offset is looked up at the instant it leads to, which may lie beyond a change of clocks.
  for (let i = 0; i < 2; ++i) instant += asUtc - Date.parse(`${wallTime(new Date(instant), zone)}Z`);
  return Math.floor(instant / 1000);
}
