// What an operator does with one metric: move its clock, close, archive or delete it. It asks for the admin token first.
import "./operate_screen.css";
import { useState } from "preact/hooks";
import { advanceMetric, ApiError, getMetric, periodsGone, type Metric } from "../../collector/api";
import { keepToken, readToken } from "../../collector/token";
import { Failed, Waiting } from "../../parts/notices";
import { Title } from "../../parts/title";
import { useLoad } from "../../state/connection";
import { href } from "../../state/route";
import { useTick } from "../../state/use_tick";
import { count } from "../../words";
import { Annotations } from "./annotations";
import { Deeds } from "./deeds";

export function OperateScreen({ name }: { name: string }) {
  const tick = useTick(5000);
  const [changes, setChanges] = useState(0);
  const [token, setToken] = useState(readToken);
  const { data: metric, error } = useLoad<Metric>(name, tick + 1e6 * changes, (signal) => getMetric(name, signal));
  const changed = () => setChanges(changes + 1);
  return (
    <div class="narrow operate">
      <header class="screen-head">
        <p class="crumb">
          <a href={href([])}>Metrics</a> / <a href={href(["metric", name])}>{name}</a>
        </p>
        <Title title={`Operate ${name}`}>Operate {name}</Title>
      </header>
      {error && <Failed message={error} />}
      {!metric && !error && <Waiting what="the metric" />}
      {metric && !token && <AskToken done={setToken} />}
      {metric && token && (
        <>
          <p>
            The metric is {metric.state ?? "open"}
            {metric.archived && " and archived"}. {count(metric.devices)} devices have enrolled.
          </p>
          {metric.clock === "manual" && periodsGone(metric) < metric.plan.periods && (
            <Advance metric={metric} token={token} changed={changed} />
          )}
          {metric.state !== "closed" && <Annotations metric={metric} token={token} changed={changed} />}
          <Deeds metric={metric} token={token} changed={changed} forget={() => setToken("")} />
        </>
      )}
    </div>
  );
}

function AskToken({ done }: { done: (token: string) => void }) {
  const keep = (event: Event) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget as HTMLFormElement).get("token"));
    keepToken(token);
    done(token);
  };
  return (
    <form onSubmit={keep} aria-label="Sign in as an operator">
      <p>Only operators may change a metric. The token stays in this tab.</p>
      <div class="field">
        <label for="operate-token">Admin token</label>
        <input id="operate-token" name="token" type="password" required autocomplete="off" />
      </div>
      <p>
        <button type="submit" class="primary">
          Go on
        </button>
      </p>
    </form>
  );
}

/** Moves a clock that is moved by hand to the next period. */
function Advance({ metric, token, changed }: { metric: Metric; token: string; changed: () => void }) {
  const [said, setSaid] = useState("");
  const advance = () =>
    advanceMetric(metric.name, token).then(
      () => (setSaid("The next period is running."), changed()),
      (error: unknown) => setSaid(error instanceof ApiError ? error.message : String(error)),
    );
  return (
    <section aria-label="The clock">
      <h2>The clock</h2>
      <p>
        <button type="button" onClick={advance}>
          End period {count(metric.current_period)}
        </button>{" "}
        <span role="status" class="hint">
          {said}
        </span>
      </p>
    </section>
  );
}
