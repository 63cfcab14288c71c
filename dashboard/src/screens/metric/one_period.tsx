// All labels or buckets of one period, as bars and as a table.
import { Bars } from "../../chart/bars";
import { getValues, periodsGone, type Estimates, type Metric } from "../../collector/api";
import { Failed } from "../../parts/notices";
import { Slider } from "../../parts/slider";
import { useLoad } from "../../state/connection";
import { keepInLink } from "../../state/route";
import { periodDate } from "../../dates";
import { count } from "../../words";
import { FiguresTable } from "./files";
import type { Selection, ValueSelection } from "./selection";
import { bandOf } from "./value_controls";

const mostBars = 24;
const mostRows = 200;

interface OnePeriodProps {
  metric: Metric;
  selection: Selection;
  values: ValueSelection;
  tick: number;
  /** By label, for those that have a curve. Then the largest share comes first; otherwise the answer's order stays. */
  colours?: Map<string, string>;
  /** Adds the unit to a label. */
  unit?: string;
  segment: Record<string, string>;
}

export function OnePeriod({ metric, selection, values, tick, colours, unit, segment }: OnePeriodProps) {
  const { at, window } = values;
  const query = { from: at, to: at, by: "label", level: selection.level, band: bandOf(selection), window, ...segment };
  const { data, error } = useLoad<Estimates>(
    `${metric.name} ${JSON.stringify(query)}`,
    tick,
    (signal) => getValues(metric.name, query, signal),
    metric.name,
  );
  const rows = [...(data?.periods ?? [])];
  if (colours) rows.sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
  const gone = periodsGone(metric);
  const nameOf = (label = "") => (unit ? `${label} ${unit}` : label);
  const bars = rows.slice(0, colours ? mostBars : rows.length).map((row) => ({
    label: nameOf(row.label),
    at: row,
    colour: colours ? (colours.get(row.label ?? "") ?? "edge") : "estimate",
  }));
  const date = periodDate(metric, at);
  return (
    <section class="one-period" aria-label="One period">
      <h2>One period</h2>
      {gone > 1 && (
        <Slider
          id="one-period"
          label="Period"
          text={date ? `${count(at)}, ${date}` : count(at)}
          position={at - 1}
          steps={gone - 1}
          onChange={(position) => keepInLink({ at: position + 1 === gone ? undefined : position + 1 })}
        />
      )}
      {error && <Failed message={error} />}
      <Bars bars={bars} name={`Shares in period ${count(at)}`} />
      {rows.length > bars.length && (
        <p class="hint">
          The {mostBars} largest of {count(rows.length)} labels.
        </p>
      )}
      <FiguresTable
        first="Label"
        caption={`Period ${count(at)}${rows.length > mostRows ? `, the ${mostRows} largest labels` : ""}. Lower and upper are the ends of the range, the standard deviation is that of the noise, and the share is of the devices counted in the period.`}
        rows={rows.slice(0, mostRows).map((row) => ({ head: nameOf(row.label), at: row }))}
      />
    </section>
  );
}
