// Which segment's devices are shown: all, one segment, each as a line, or two against each other.
import "./segments.css";
import type { Metric } from "../../collector/api";
import { keepInLink, useRoute } from "../../state/route";

export interface SegmentSelection {
  /** Null: all devices. */
  segment: string | null;
  /** Compared with the segment; null if none is. */
  against: string | null;
  /** Each segment as a line. */
  each: boolean;
}

/** What the link holds; all devices if the metric has no such segment. */
export function useSegment(metric: Metric): SegmentSelection {
  const { query } = useRoute();
  const known = (key: string) => {
    const value = query.get(key);
    return value !== null && metric.plan.segment?.values.includes(value) ? value : null;
  };
  const segment = known("segment");
  const against = known("against");
  return {
    segment,
    against: segment !== null && against !== segment ? against : null,
    each: segment === null && metric.plan.segment !== undefined && query.get("by") === "segment",
  };
}

/** The parameter of the collector's calls. */
export const segmentQuery = ({ segment }: SegmentSelection): Record<string, string> =>
  segment === null ? {} : { segment };

interface Props {
  metric: Metric;
  chosen: SegmentSelection;
  /** Whether lines by segment and pairs can be shown. */
  compares: boolean;
}

export function SegmentChoice({ metric, chosen, compares }: Props) {
  const segments = metric.plan.segment;
  if (!segments) return null;
  const choose = (value: string) => {
    const [kind, name] = [value.slice(0, 1), value.slice(1)];
    keepInLink({
      by: kind === "*" ? "segment" : undefined,
      segment: kind === "=" ? name : undefined,
      against: undefined,
    });
  };
  return (
    <div class="segment-choice" data-testid="segment-choice">
      <label for="segment">{segments.name}</label>
      <select
        id="segment"
        value={chosen.each ? "*" : chosen.segment === null ? "" : `=${chosen.segment}`}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">All devices</option>
        {compares && <option value="*">Each as a line</option>}
        {segments.values.map((value) => (
          <option key={value} value={`=${value}`}>
            {value}
          </option>
        ))}
      </select>
      {compares && chosen.segment !== null && (
        <>
          <label for="against">against</label>
          <select
            id="against"
            value={chosen.against ?? ""}
            onChange={(event) => keepInLink({ against: event.currentTarget.value || undefined })}
          >
            <option value="">nothing</option>
            {segments.values
              .filter((value) => value !== chosen.segment)
              .map((value) => (
                <option key={value}>{value}</option>
              ))}
          </select>
        </>
      )}
    </div>
  );
}
