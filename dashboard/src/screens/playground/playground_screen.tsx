import "./playground_screen.css";
import { useMemo, useState } from "preact/hooks";
import { getMetric, metricPath, startPlayground, type Metric, type PlaygroundRun } from "../../collector/api";
import { Chart } from "../../chart/chart";
import { Completeness } from "../../chart/completeness";
import { useEvents, useLoad } from "../../state/connection";
import { Key } from "../../chart/key";
import { useBands } from "../../estimates/use_bands";
import { Choices } from "../../parts/choices";
import { Fact } from "../../parts/fact";
import { Failed, Waiting } from "../../parts/notices";
import { Slider } from "../../parts/slider";
import { Title } from "../../parts/title";
import { href } from "../../state/route";
import { seriesOf } from "../../estimates/series";
import { count, percent, roundNoise } from "../../words";

const populations = [
  { value: "adoption", label: "Adoption", hint: "An S-curve: few, then many." },
  { value: "seasonal", label: "Seasonal", hint: "Back and forth, together." },
  { value: "churn", label: "Churn", hint: "People come and go." },
  { value: "uniform", label: "Uniform", hint: "Every device changes as often as it may, at any time." },
  { value: "static", label: "Static", hint: "Nothing happens." },
];
const users = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000];
const epsilons = [0.25, 0.5, 1, 2, 4, 8];
const horizons = [32, 64, 128, 256, 512];

export function PlaygroundScreen() {
  const [run, setRun] = useState<PlaygroundRun | null>(null);
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(false);
  const [population, setPopulation] = useState("adoption");
  const [at, setAt] = useState({ users: 4, epsilon: 2, periods: 2 });

  const start = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setFailed("");
    const periods = horizons[at.periods]!;
    try {
      setRun(
        await startPlayground({
          users: users[at.users],
          population,
          periods,
          changes: 4,
          epsilon: String(epsilons[at.epsilon]),
          // A run takes about twenty seconds, whatever its length.
          period_milliseconds: Math.round(20_000 / periods),
        }),
      );
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };

  const slider = (
    name: "users" | "epsilon" | "periods",
    label: string,
    steps: number[],
    text: (step: number) => string,
  ) => (
    <Slider
      id={`play-${name}`}
      label={label}
      text={text(steps[at[name]]!)}
      position={at[name]}
      steps={steps.length - 1}
      onChange={(position) => setAt({ ...at, [name]: position })}
    />
  );
  return (
    <div class="wide">
      <header class="screen-head">
        <Title title="Playground">Playground</Title>
        <p class="lead">
          A fleet that this collector simulates for you. Here, and only here, the truth is known: see how the estimate
          follows it without ever being told.
        </p>
      </header>
      <form class="play" onSubmit={start} aria-label="The fleet">
        <Choices
          name="population"
          label="Population"
          value={population}
          choices={populations}
          onChange={setPopulation}
        />
        {slider("users", "Devices", users, count)}
        {slider("epsilon", "Privacy budget ε", epsilons, String)}
        {slider("periods", "Periods", horizons, count)}
        <button type="submit" class="primary" disabled={busy}>
          {run ? "Run another fleet" : "Run the fleet"}
        </button>
      </form>
      {failed && <Failed message={failed} />}
      {run ? (
        <Run key={run.metric} run={run} />
      ) : (
        <p class="hint">Each device draws its own noise and sends its signs to this collector, as a real one would.</p>
      )}
    </div>
  );
}

function Run({ run }: { run: PlaygroundRun }) {
  const tick = useEvents(`${metricPath(run.metric)}/events`, 150);
  const { data: metric, error } = useLoad<Metric>(run.metric, tick, (signal) => getMetric(run.metric, signal));
  const { data: bands } = useBands(run.metric, { estimator: "online", level: 0.95, shown: "both" }, tick);
  const [hovered, setHovered] = useState<number | null>(null);
  const series = useMemo(
    () => bands && seriesOf(bands.pointwise.periods, bands.simultaneous?.periods ?? null, run.truth),
    [bands, run],
  );
  if (error) return <Failed message={error} />;
  if (!metric || !series) return <Waiting what="the run" />;
  const errors = series.period.flatMap((_, i) =>
    series.estimate[i] === null ? [] : [series.estimate[i]! - series.truth![i]!],
  );
  const inside = series.period.filter(
    (_, i) => series.truth![i]! >= series.lower[i]! && series.truth![i]! <= series.upper[i]!,
  ).length;
  const rmse = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / Math.max(1, errors.length));
  const row = hovered ?? series.period.length - 1;
  const to = metric.plan.periods;
  return (
    <section class="figure" aria-label="The run">
      <dl class="run-facts" data-testid="run">
        <Fact label="Period">
          {count(series.period[row] ?? 0)} of {count(to)}
        </Fact>
        <Fact label="Truth">
          <span class="key-truth">{row >= 0 ? count(series.truth![row]!) : "–"}</span>
        </Fact>
        <Fact label="Estimate">
          <span class="key-estimate">
            {row >= 0 && series.estimate[row] !== null ? count(series.estimate[row]!) : "–"}
          </span>
        </Fact>
        <Fact label="Typical error so far">
          {errors.length ? `${count(roundNoise(rmse))}, ${percent(rmse / Math.max(1, metric.devices))}` : "–"}
        </Fact>
        <Fact label="Truth inside its band">{errors.length ? percent(inside / errors.length) : "–"}</Fact>
      </dl>
      <Chart
        series={series}
        devices={metric.devices}
        from={1}
        to={to}
        label={String}
        onZoom={() => {}}
        onHover={setHovered}
        summary={`Estimate and truth by period, ${series.period.length} of ${to} periods. The truth was inside its band in ${percent(inside / Math.max(1, errors.length))} of them.`}
      />
      <Completeness series={series} from={1} to={to} />
      <Key shown="both" level={0.95} truth />
      <p class="hint" id="chart-keys">
        This run is an ordinary metric: <a href={href(["metric", run.metric])}>{run.metric}</a>. Arrow keys read period
        by period.
      </p>
    </section>
  );
}
