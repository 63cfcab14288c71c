import { useMemo, useState } from "preact/hooks";
import { HeatMap } from "../../chart/heat_map";
import { getValues, type DistributionValue, type Estimates, type Metric } from "../../collector/api";
import { curvesOf } from "../../estimates/labels";
import { axisText } from "../../estimates/mean";
import { Failed } from "../../parts/notices";
import { useLoad } from "../../state/connection";
import { periodTick } from "../../dates";
import { count, percentLike } from "../../words";
import { segmentQuery, useSegment } from "./segment_choice";
import { firstAsked, type Selection, type ValueSelection } from "./selection";

interface HeatProps {
  metric: Metric;
  value: DistributionValue;
  selection: Selection;
  values: ValueSelection;
  tick: number;
}

/** All buckets over time. */
export function Heat({ metric, value, selection, values, tick }: HeatProps) {
  const [hovered, setHovered] = useState<{ bucket: number; column: number } | null>(null);
  const from = firstAsked(selection, value.buckets);
  const query = { from, to: selection.to, by: "label", window: values.window, ...segmentQuery(useSegment(metric)) };
  const { data, error } = useLoad<Estimates>(
    `${metric.name} ${JSON.stringify(query)}`,
    tick,
    (signal) => getValues(metric.name, query, signal),
    metric.name,
  );
  const curves = useMemo(() => curvesOf(data?.periods ?? []), [data]);
  const shares = useMemo(() => curves.map(({ rows }) => rows.map(({ share }) => share)), [curves]);
  const at = hovered && curves[hovered.bucket]?.rows[hovered.column];
  const tickOf = (period: number) => periodTick(metric, period) || count(period);
  const ends = [value.low, (value.low + value.high) / 2, value.high].map(axisText);
  return (
    <section class="heat-section" aria-label="All values over time">
      <h2>All values over time</h2>
      <p class="readout" data-testid="heat-readout">
        {at && at.share !== null ? (
          <>
            <b>Period {count(at.period)}</b>
            <span>
              {at.label} {value.unit}
            </span>
            <span class="key-estimate">{percentLike(at.share, (at.stddev ?? 0) / Math.max(1, at.devices))}</span>
          </>
        ) : (
          <span>
            The share of each of {value.buckets} buckets{value.unit ? `, in ${value.unit}` : ""}: the stronger the
            colour, the more devices.
          </span>
        )}
      </p>
      {error && <Failed message={error} />}
      {shares.length > 0 && (
        <HeatMap
          shares={shares}
          rows={ends}
          columns={[tickOf(from), tickOf(Math.round((from + selection.to) / 2)), tickOf(selection.to)]}
          summary={`Shares of ${value.buckets} buckets from ${ends[0]} to ${ends[2]} ${value.unit ?? ""} by period. The table of one period has the figures.`}
          onHover={setHovered}
        />
      )}
      {from > selection.from && (
        <p class="hint">Only periods from {count(from)} on: an answer with all of them would be too large.</p>
      )}
    </section>
  );
}
