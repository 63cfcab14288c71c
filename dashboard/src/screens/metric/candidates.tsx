// The list of a text metric: those that stand out from the noise, as bars.
import { getValues, periodsGone, type Estimates, type Metric } from "../../collector/api";
import { Bars } from "../../chart/bars";
import { Failed, Waiting } from "../../parts/notices";
import { useLoad } from "../../state/connection";
import { keepInLink } from "../../state/route";
import { many } from "../../words";

interface CandidatesProps {
  metric: Metric;
  tick: number;
  level: number;
  window: number;
}

const mostShown = 10;

export function Candidates({ metric, tick, level, window }: CandidatesProps) {
  const gone = periodsGone(metric);
  const query = { from: gone, to: gone, level, band: "pointwise" as const, window, top: mostShown };
  const { data, error } = useLoad<Estimates>(
    `candidates ${metric.name} ${JSON.stringify(query)} ${metric.candidates?.length}`,
    tick,
    (signal) => getValues(metric.name, query, signal),
    `candidates ${metric.name}`,
  );
  if (gone === 0) return null;
  const rows = data?.periods ?? [];
  return (
    <section class="candidates" aria-label="Candidates">
      <h2>Candidates</h2>
      <p class="hint">
        The operator&apos;s list has {many(metric.candidates?.length ?? 0, "text")}. Shown are those that stand out from
        the noise. On average at most 5% of those shown do not really stand out.
      </p>
      {error && <Failed message={error} />}
      {!data && !error && <Waiting what="candidates" />}
      {data && rows.length === 0 && (
        <p class="notice" data-testid="no-candidate">
          No candidate stands out from the noise. A mean of several periods makes the noise smaller.
        </p>
      )}
      {rows.length > 0 && (
        <>
          <Bars
            name="Candidates that stand out"
            bars={rows.map((at) => ({ label: at.label ?? "", at, colour: "estimate" }))}
          />
          <button
            type="button"
            onClick={() => keepInLink({ texts: rows.map(({ label }) => (label ?? "").split(" | ")[0]).join("\n") })}
          >
            Show them over time
          </button>
        </>
      )}
    </section>
  );
}
