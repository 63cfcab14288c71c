import type { Metric } from "../../collector/api";
import { leaderOf, type Curve } from "../../estimates/labels";
import { many, percent, percentLike, pointsLike } from "../../words";
import { when } from "./summary";

interface SentenceProps {
  metric: Metric;
  curves: Curve[];
  level: number;
  window: number;
}

/** The leading label at the end of the last period. */
export function LabelSentence({ metric, curves, level, window }: SentenceProps) {
  const rows = curves.flatMap(({ rows }) => rows.slice(-1));
  const leader = leaderOf(rows, level);
  const at = rows[0];
  return (
    <div class="sentence">
      <p class="say" data-testid="say">
        {!leader ? (
          "Too few devices to say which label leads."
        ) : leader.close ? (
          <>
            <strong>{leader.first.label}</strong> and <strong>{leader.close.label}</strong> are too close to call:{" "}
            <span class="give">
              {percentLike(leader.first.share!, leader.noise)} and {percentLike(leader.close.share!, leader.noise)}
            </span>
          </>
        ) : (
          <>
            <strong>{leader.first.label}</strong> {rows.length > 1 ? "leads with" : "has"}{" "}
            {percentLike(leader.first.share!, leader.noise)},{" "}
            <span class="give">give or take {pointsLike(leader.noise)}</span>
          </>
        )}
      </p>
      {at && (
        <p class="hint">
          {when(metric, at).replace(/^p/, "P")}. Shares of {many(at.devices, "device")} ({percent(level)} confidence)
          {window > 1 && `, as the mean of the last ${many(window, "period")}`}.
        </p>
      )}
    </div>
  );
}
