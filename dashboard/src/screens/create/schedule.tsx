// When the periods of a new metric begin, and how long they last.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { NewMetric } from "../../collector/api";
import { useRoute } from "../../state/route";
import { instantOf, localZone, timeZones, wallTime } from "../../zoned_time";

const lengths = [
  { value: "manual", label: "until I end it (a clock moved by hand)" },
  { value: "60", label: "a minute" },
  { value: "3600", label: "an hour" },
  { value: "86400", label: "a day" },
  { value: "604800", label: "a week" },
];

/** The part of the request that the fields below stand for. */
export function scheduleOf(
  text: (key: string) => string,
): Pick<NewMetric, "clock" | "start" | "period_seconds" | "time_zone"> {
  if (text("length") === "manual") return { clock: "manual" };
  const start = instantOf(text("start"), text("zone"));
  if (Number.isNaN(start)) throw new Error("The first period needs a date and a time to begin at.");
  return { start, period_seconds: Number(text("length")), time_zone: text("zone") };
}

/** Days and weeks begin at midnight unless told otherwise, hours and minutes with this one. */
function proposed(length: string, zone: string): string {
  const now = wallTime(new Date(), zone);
  if (Number(length) >= 86400) return `${now.slice(0, 11)}00:00`;
  return length === "3600" ? `${now.slice(0, 14)}00` : now;
}

export function Schedule({ children }: { children: ComponentChildren }) {
  const { query } = useRoute();
  const [length, setLength] = useState(() => {
    const asked = query.get("length");
    return lengths.some(({ value }) => value === asked) ? asked! : "86400";
  });
  const [zone, setZone] = useState(localZone);
  const [start, setStart] = useState<string | null>(null);
  return (
    <>
      <div class="fields">
        {children}
        <div class="field">
          <label for="length">A period lasts</label>
          <select id="length" name="length" value={length} onChange={(event) => setLength(event.currentTarget.value)}>
            {lengths.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
      </div>
      {length !== "manual" && (
        <div class="fields">
          <div class="field">
            <label for="start">The first period begins</label>
            <input
              id="start"
              name="start"
              type="datetime-local"
              required
              value={start ?? proposed(length, zone)}
              onInput={(event) => setStart(event.currentTarget.value)}
            />
          </div>
          <div class="field">
            <label for="zone">Time zone</label>
            <select id="zone" name="zone" value={zone} onChange={(event) => setZone(event.currentTarget.value)}>
              {timeZones().map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </div>
          {Number(length) >= 86400 && (
            <p class="hint">
              Every reader sees the days of this time zone. A day has 24 hours here. If clocks change in spring and
              autumn, periods begin an hour off from then on.
            </p>
          )}
        </div>
      )}
    </>
  );
}
