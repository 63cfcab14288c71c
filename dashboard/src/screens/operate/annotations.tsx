// Notes on dates: what happened that may explain a movement, such as a release.
import { useState } from "preact/hooks";
import { annotateMetric, ApiError, type Annotation, type Metric } from "../../collector/api";
import { Failed } from "../../parts/notices";
import { wallClock } from "../../dates";
import { instantOf } from "../../zoned_time";
import { count } from "../../words";

const mostBytes = 200;

/** A time of day is asked for as an instant in UTC. */
const asked = (date: string, { time_zone = "UTC" }: Metric) =>
  date.includes(" ")
    ? new Date(instantOf(date.replace(" ", "T"), time_zone) * 1000).toISOString().replace(".000Z", "Z")
    : date;

interface AnnotationsProps {
  metric: Metric;
  token: string;
  changed: () => void;
}

export function Annotations({ metric, token, changed }: AnnotationsProps) {
  const [failed, setFailed] = useState("");
  const [said, setSaid] = useState("");
  const byDate = metric.start != null;
  const today = new Date(wallClock(Date.now(), metric.time_zone)).toISOString().slice(0, 10);
  /** Returns whether the collector has the note. */
  const send = async (note: { date?: string; period?: number; text: string }, done: string) => {
    setFailed("");
    setSaid("");
    try {
      await annotateMetric(metric.name, note, token);
      setSaid(done);
      changed();
      return true;
    } catch (error) {
      setFailed(error instanceof ApiError ? error.message : String(error));
      return false;
    }
  };
  const add = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const at = new FormData(form);
    const text = String(at.get("text")).trim();
    const where = byDate ? { date: String(at.get("date")) } : { period: Number(at.get("period")) };
    if (await send({ ...where, text }, "The note is on the chart.")) form.reset();
  };
  const remove = ({ date, period }: Annotation) =>
    send({ ...(date === null ? { period } : { date: asked(date, metric) }), text: "" }, "The note is removed.");
  return (
    <section aria-label="Notes on dates">
      <h2>Notes on dates</h2>
      <p class="hint">
        Every reader sees them on the chart, in the table and in the files. A second note on a date replaces the first.
      </p>
      <ul class="notes-edited">
        {(metric.annotations ?? []).map((note) => (
          <li key={`${note.period} ${note.date}`}>
            <span class="hint">{note.date ?? `Period ${count(note.period)}`}</span> {note.text}{" "}
            <button type="button" aria-label={`Remove the note ${note.text}`} onClick={() => remove(note)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      <form class="note-form" onSubmit={add} aria-label="Add a note">
        <div class="field">
          <label for="note-when">{byDate ? "Date" : "Period"}</label>
          {byDate ? (
            <input id="note-when" name="date" type="date" required defaultValue={today} />
          ) : (
            <input
              id="note-when"
              name="period"
              type="number"
              min={1}
              required
              defaultValue={String(Math.max(1, metric.current_period))}
            />
          )}
        </div>
        <div class="field">
          <label for="note-text">What happened</label>
          <input
            id="note-text"
            name="text"
            required
            maxLength={mostBytes}
            autocomplete="off"
            placeholder="Release 2.0"
          />
        </div>
        <button type="submit">Add the note</button>
      </form>
      {failed && <Failed message={failed} />}
      <p role="status" class="hint">
        {said}
      </p>
    </section>
  );
}
