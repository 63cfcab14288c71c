// The operator's notes on dates, under the chart that marks them.
import "./notes.css";
import { periodsGone, type Annotation, type Metric } from "../../collector/api";
import type { Mark } from "../../chart/plot";
import { dateText } from "../../dates";
import { aroundPeriod, stretchText } from "../../estimates/stretches";
import { keepInLink } from "../../state/route";
import { count } from "../../words";

/** Says when a note is: "Nov 12, 2026", or "Nov 12, 2026, 14:00". */
export function noteDate({ date, period }: Annotation): string {
  if (date === null) return `Period ${count(period)}`;
  const [day, time] = date.split(" ");
  return dateText(Date.parse(`${day}T00:00:00Z`)) + (time ? `, ${time}` : "");
}

/** One mark a period, with all of its notes. */
export function marksOf({ annotations = [] }: Metric): Mark[] {
  const texts = new Map<number, string[]>();
  for (const { period, text } of annotations) texts.set(period, [...(texts.get(period) ?? []), text]);
  return [...texts].map(([period, all]) => ({ period, text: all.join("; ") }));
}

export const notesAt = ({ annotations = [] }: Metric, period: number) =>
  annotations.filter((note) => note.period === period).map(({ text }) => text);

interface NotesProps {
  metric: Metric;
  from: number;
  to: number;
  /** Whether stretches can be compared. */
  compares: boolean;
}

export function Notes({ metric, from, to, compares }: NotesProps) {
  const shown = (metric.annotations ?? []).filter(({ period }) => period >= from && period <= to);
  if (shown.length === 0) return null;
  return (
    <ul class="notes" aria-label="Notes" data-testid="notes">
      {shown.map((note) => {
        const around = compares ? aroundPeriod(note.period, periodsGone(metric)) : null;
        return (
          <li key={`${note.period} ${note.date}`}>
            <span class="note-date">{noteDate(note)}</span>
            <span class="note-text">{note.text}</span>
            {around && (
              <button
                type="button"
                class="quiet"
                aria-label={`Before and after: ${note.text}`}
                onClick={() => keepInLink({ before: stretchText(around.before), after: stretchText(around.after) })}
              >
                Before and after
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
