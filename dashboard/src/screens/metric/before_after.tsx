// Before and after: two stretches of time, chosen by dates or on the chart, and the change between their means.
import "./before_after.css";
import { useState } from "preact/hooks";
import { getDifference, periodsGone, type ChangeRow, type Difference, type Metric } from "../../collector/api";
import type { Span } from "../../chart/plot";
import { meanText, scaleOf } from "../../estimates/mean";
import {
  dayOfPeriod,
  hasDays,
  inOrder,
  latestStretches,
  periodOfDay,
  stretchNamed,
  stretchText,
  type Stretch,
} from "../../estimates/stretches";
import { Failed, Waiting } from "../../parts/notices";
import { useLoad } from "../../state/connection";
import { keepInLink, useRoute } from "../../state/route";
import { percentLike, pointsLike, shareSaid } from "../../words";

export type Side = "before" | "after";
const sides: Side[] = ["before", "after"];
const colours = { before: "muted", after: "second" };

export interface Comparison {
  /** Null if the reader has not asked. */
  stretches: { before: Stretch; after: Stretch } | null;
  /** What the next drag across the chart chooses. */
  choosing: Side | null;
  choose: (side: Side | null) => void;
  take: (side: Side, stretch: Stretch) => void;
  found: Difference | null;
  error: string | null;
}

/** Only active devices can be compared: of others too little is kept. */
export const canCompare = (metric: Metric) => Boolean(metric.inactive_after) && periodsGone(metric) >= 2;

/** `labels` asks for the largest few of them. */
export function useComparison(metric: Metric, level: number, tick: number, labels?: Record<string, string | number>) {
  const { query } = useRoute();
  const [choosing, choose] = useState<Side | null>(null);
  const last = periodsGone(metric);
  const [before, after] = sides.map((side) => stretchNamed(query.get(side), last));
  const stretches = before && after && canCompare(metric) ? { before, after } : null;
  const asked = stretches && inOrder(stretches.before, stretches.after) ? stretches : null;
  const parameters = asked && {
    before: stretchText(asked.before),
    after: stretchText(asked.after),
    level,
    ...labels,
  };
  const { data, error } = useLoad<Difference | null>(
    `${metric.name} ${JSON.stringify(parameters)}`,
    tick,
    async (signal) => (parameters ? getDifference(metric.name, parameters, signal) : null),
  );
  const take = (side: Side, stretch: Stretch) => {
    keepInLink({ [side]: stretchText(stretch) });
    choose(null);
  };
  return {
    stretches,
    choosing,
    choose,
    take,
    found: data,
    error: stretches && !asked ? "The second stretch begins before the first one ends." : error,
  } satisfies Comparison;
}

/** The stretches on the chart, each with the level of its mean. */
export function spansOf({ stretches, found }: Comparison, as: "estimate" | "share" | "mean" | null): Span[] {
  if (!stretches) return [];
  return sides.map((side) => ({
    ...stretches[side],
    colour: colours[side],
    mean: (as && found?.rows.length === 1 && found.rows[0]![side][as]) || null,
  }));
}

export function BeforeAfter({ metric, comparison }: { metric: Metric; comparison: Comparison }) {
  const { stretches, choosing, choose, take, found, error } = comparison;
  if (!canCompare(metric)) return null;
  const last = periodsGone(metric);
  const begin = () => {
    const latest = latestStretches(last)!;
    keepInLink({ before: stretchText(latest.before), after: stretchText(latest.after) });
  };
  if (!stretches) {
    return (
      <p class="compare-stretches">
        <button type="button" onClick={begin}>
          Compare before and after
        </button>
      </p>
    );
  }
  return (
    <section class="before-after" aria-label="Before and after" data-testid="before-after">
      <h2>Before and after</h2>
      <div class="stretches">
        {sides.map((side) => (
          <StretchFields
            key={side}
            metric={metric}
            side={side}
            stretch={stretches[side]}
            last={last}
            choosing={choosing === side}
            choose={() => choose(choosing === side ? null : side)}
            take={(stretch) => take(side, stretch)}
          />
        ))}
        <button type="button" class="quiet" onClick={() => keepInLink({ before: undefined, after: undefined })}>
          Done
        </button>
      </div>
      <p class="hint" role="status">
        {choosing && `Drag across the chart to choose the stretch ${choosing}.`}
      </p>
      {error && <Failed message={error} />}
      {!found && !error && <Waiting what="the difference" />}
      {found && !error && <Found metric={metric} found={found} />}
    </section>
  );
}

interface StretchFieldsProps {
  metric: Metric;
  side: Side;
  stretch: Stretch;
  last: number;
  choosing: boolean;
  choose: () => void;
  take: (stretch: Stretch) => void;
}

function StretchFields({ metric, side, stretch, last, choosing, choose, take }: StretchFieldsProps) {
  const days = hasDays(metric);
  const read = (text: string) => {
    const period = days ? periodOfDay(metric, text, last) : Math.round(Number(text));
    return period !== null && period >= 1 && period <= last ? period : null;
  };
  const field = (end: "from" | "to") => (
    <input
      type={days ? "date" : "number"}
      min={days ? dayOfPeriod(metric, 1, "first") : 1}
      max={days ? dayOfPeriod(metric, last, "last") : last}
      value={days ? dayOfPeriod(metric, stretch[end], end === "from" ? "first" : "last") : stretch[end]}
      aria-label={`${side === "before" ? "Before" : "After"}, ${end === "from" ? "from" : "to"}`}
      onChange={(event) => {
        const period = read(event.currentTarget.value);
        if (period === null) return;
        const next = { ...stretch, [end]: period };
        take(next.from <= next.to ? next : { from: period, to: period });
      }}
    />
  );
  return (
    <fieldset class={`stretch ${side}`}>
      <legend>{side === "before" ? "Before" : "After"}</legend>
      {field("from")} <span>to</span> {field("to")}
      <button type="button" class="quiet" aria-pressed={choosing} onClick={choose}>
        Choose on the chart
      </button>
    </fieldset>
  );
}

function Found({ metric, found }: { metric: Metric; found: Difference }) {
  const [only] = found.rows;
  if (!only) return <p class="notice">{found.note ?? "No label stands out from the noise in the stretch after."}</p>;
  const labelled = only.label !== undefined;
  return (
    <>
      {!labelled && <Sentence row={only} />}
      <div class="scroll" tabIndex={0} role="region" aria-label="The change in figures">
        <table class="change">
          <thead>
            <tr>
              {labelled && <th scope="col">Label</th>}
              <th scope="col">
                Before<small>{found.before.words}</small>
              </th>
              <th scope="col">
                After<small>{found.after.words}</small>
              </th>
              <th scope="col">Change</th>
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {found.rows.map((row) => (
              <tr key={row.label ?? ""}>
                {labelled && <th scope="row">{row.label}</th>}
                <td>{said(metric, row.before)}</td>
                <td>{said(metric, row.after)}</td>
                <td>{changeSaid(metric, row)}</td>
                <td class={row.clear ? "clear" : "unclear"}>
                  {row.clear ? (row.difference.share! > 0 ? "↗ really up" : "↘ really down") : "≈ within the noise"}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        Means over each stretch. Both stretches share reports, and the range of the change accounts for this.
      </p>
    </>
  );
}

function Sentence({ row }: { row: ChangeRow }) {
  const up = (row.difference.share ?? 0) > 0;
  return (
    <div class={`verdict ${row.clear ? "real" : "noise"}`} data-testid="change" role="status">
      <span class="verdict-mark" aria-hidden="true">
        {row.clear ? (up ? "↗" : "↘") : "≈"}
      </span>
      <p class="verdict-word">{row.sentence}</p>
    </div>
  );
}

function said(metric: Metric, at: ChangeRow["before"]): string {
  const scale = scaleOf(metric);
  if (scale && at.mean != null && at.mean_upper != null) {
    return `${meanText(at.mean, scale)} ± ${meanText(at.mean_upper - at.mean, scale)}`;
  }
  return at.share === null || at.share_upper === null ? "not known" : shareSaid(at.share, at.share_upper - at.share);
}

function changeSaid(metric: Metric, { difference: at }: ChangeRow): string {
  const scale = scaleOf(metric);
  if (at.share === null || at.share_upper === null) return "not known";
  if (scale && at.mean != null && at.mean_upper != null) {
    return `${at.mean > 0 ? "+" : ""}${meanText(at.mean, scale)} ± ${meanText(at.mean_upper - at.mean, scale)}`;
  }
  const noise = at.share_upper - at.share;
  return `${at.share > 0 ? "+" : ""}${percentLike(at.share, noise).replace("%", "")} ± ${pointsLike(noise)} points`;
}
