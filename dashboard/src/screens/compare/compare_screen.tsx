import "./compare_screen.css";
import { getMetrics, type Metric } from "../../collector/api";
import { estimatorNamed, levelNamed } from "../../estimates/options";
import { useBands } from "../../estimates/use_bands";
import { ConfidenceChoice, EstimatorChoice } from "../../parts/estimate_choices";
import { Failed, Waiting } from "../../parts/notices";
import { Title } from "../../parts/title";
import { useLoad } from "../../state/connection";
import { href, keepInLink, useRoute } from "../../state/route";
import { useTick } from "../../state/use_tick";
import { Overlay } from "./overlay";

/** Two metrics in one chart. */
export function CompareScreen() {
  const { query } = useRoute();
  const tick = useTick(5000);
  const { data: all, error } = useLoad("metrics", tick, getMetrics);
  // Labels and distributions have more than one curve.
  const metrics = all?.filter(({ plan: { value } }) => !value || value.kind === "number");
  const named = (key: string, otherwise?: Metric) =>
    metrics?.find(({ name }) => name === query.get(key)) ?? otherwise ?? metrics?.[0];
  const first = named("first");
  const second = named(
    "second",
    metrics?.find(({ name }) => name !== first?.name),
  );
  return (
    <div class="wide">
      <header class="screen-head">
        <p class="crumb">
          <a href={href([])}>Metrics</a>
        </p>
        <Title title="Compare two metrics">Compare two metrics</Title>
      </header>
      {error && <Failed message={error} />}
      {!metrics && !error && <Waiting what="metrics" />}
      {metrics && metrics.length < 2 && <p>A comparison needs two metrics. Create another one first.</p>}
      {metrics && metrics.length > 1 && first && second && (
        <Pair metrics={metrics} first={first} second={second} tick={tick} />
      )}
    </div>
  );
}

interface PairProps {
  metrics: Metric[];
  first: Metric;
  second: Metric;
  tick: number;
}

function Pair({ metrics, first, second, tick }: PairProps) {
  const { query } = useRoute();
  const asked = {
    estimator: estimatorNamed(query.get("estimator")),
    level: levelNamed(query.get("level")),
    shown: "pointwise" as const,
  };
  const loaded = [useBands(first.name, asked, tick), useBands(second.name, asked, tick)];
  const [one, other] = loaded.map(({ data }) => data);
  const error = loaded.map((each) => each.error).find(Boolean);
  const choice = (key: "first" | "second", label: string, chosen: Metric) => (
    <div class="field">
      <label for={key}>
        <i class={`swatch ${key === "first" ? "line" : "second"}`} /> {label}
      </label>
      <select id={key} value={chosen.name} onChange={(event) => keepInLink({ [key]: event.currentTarget.value })}>
        {metrics.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  );
  return (
    <>
      <form class="pair" aria-label="What is compared" onSubmit={(event) => event.preventDefault()}>
        {choice("first", "First metric", first)}
        {choice("second", "Second metric", second)}
        <EstimatorChoice value={asked.estimator} />
        <ConfidenceChoice value={asked.level} />
      </form>
      {error && <Failed message={error} />}
      {!error && !(one && other) && <Waiting what="estimates" />}
      {one && other && (
        <Overlay
          key={`${first.name} ${second.name}`}
          first={{ metric: first, periods: one.pointwise.periods }}
          second={{ metric: second, periods: other.pointwise.periods }}
          level={asked.level}
        />
      )}
    </>
  );
}
