import "./metrics_screen.css";
import { getMetrics, type Metric } from "../../collector/api";
import { Failed, Waiting } from "../../parts/notices";
import { Title } from "../../parts/title";
import { useLoad } from "../../state/connection";
import { href, keepInLink, useRoute } from "../../state/route";
import { useTick } from "../../state/use_tick";
import { MetricRow } from "./metric_row";

/** Every word that is looked for is in the name or in the question. */
export function matches({ name, description = "" }: Metric, search: string): boolean {
  const text = `${name} ${description}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export function MetricsScreen() {
  const { query } = useRoute();
  const search = query.get("search") ?? "";
  const tick = useTick(5000);
  const archived = query.get("archived") === "true";
  const { data: metrics, error } = useLoad(archived ? "archive" : "metrics", tick, (signal) =>
    getMetrics(signal, archived),
  );
  const found = metrics?.filter((metric) => matches(metric, search)) ?? [];
  return (
    <div class="wide">
      <header class="screen-head">
        <Title title={archived ? "Archive" : "Metrics"}>{archived ? "Archive" : "Metrics"}</Title>
        <p class="lead">
          Each metric asks one question of many devices. No device ever reveals its answer. The count is still known.
        </p>
        <a class="button" href={href(["new"])}>
          New metric
        </a>{" "}
        {archived ? <a href={href([])}>Metrics in sight</a> : <a href={href([], { archived: "true" })}>Archive</a>}
      </header>
      {error && <Failed message={error} />}
      {!metrics && !error && <Waiting what="metrics" />}
      {metrics?.length === 0 && (archived ? <p>Nothing is archived.</p> : <Empty />)}
      {metrics && metrics.length > 1 && (
        <div class="finding" role="search">
          <label for="search">Search</label>
          <input
            id="search"
            type="search"
            value={search}
            autocomplete="off"
            onInput={(event) => keepInLink({ search: event.currentTarget.value || undefined })}
          />
          <a href={href(["compare"])}>Compare two metrics</a>
          <span role="status" class="hint">
            {search && `${found.length} of ${metrics.length}`}
          </span>
        </div>
      )}
      {metrics && metrics.length > 0 && found.length === 0 && <p>No metric has these words in its name or question.</p>}
      {found.length > 0 && (
        <ul class="ledger">
          {found.map((metric) => (
            <MetricRow key={metric.name} metric={metric} tick={tick} />
          ))}
        </ul>
      )}
    </div>
  );
}

const Empty = () => (
  <div class="empty">
    <h2>Nothing is being counted yet</h2>
    <p>
      Create a metric here, or from a terminal, and point devices at this collector. The{" "}
      <a href={href(["planner"])}>planner</a> says how many devices a question needs.
    </p>
    <a class="button primary" href={href(["new"])}>
      Create the first metric
    </a>
  </div>
);
