import "./planner_screen.css";
import { getPlan, type Planned, type PlannedProtocol } from "../../collector/api";
import { useLoad } from "../../state/connection";
import { Failed, Waiting } from "../../parts/notices";
import { Slider } from "../../parts/slider";
import { Title } from "../../parts/title";
import { href, keepInLink, useRoute } from "../../state/route";
import { count, percent, roundNoise } from "../../words";

const decades = (from: number, to: number) => {
  const steps: number[] = [];
  for (let decade = from; decade < to; decade *= 10)
    steps.push(...[1, 1.5, 2, 3, 5, 7].map((n) => Math.round(n * decade * 1e6) / 1e6));
  return [...steps, to];
};
const powers = (most: number) => Array.from({ length: most + 1 }, (_, i) => 2 ** i);

const scales = {
  users: { label: "Devices", steps: decades(100, 100_000_000), start: 100_000, text: count },
  periods: { label: "Periods", steps: powers(14), start: 256, text: count },
  changes: {
    label: "Changes of a device, at most",
    steps: [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64],
    start: 4,
    text: count,
  },
  epsilon: {
    label: "Privacy budget ε",
    steps: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8],
    start: 1,
    text: String,
  },
  target_error: {
    label: "Error you can live with",
    steps: [0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1],
    start: 0.01,
    text: percent,
  },
};
type Name = keyof typeof scales;
const names = Object.keys(scales) as Name[];

export function PlannerScreen() {
  const { query } = useRoute();
  const values = Object.fromEntries(
    names.map((name) => {
      const asked = Number(query.get(name));
      return [name, scales[name].steps.includes(asked) ? asked : scales[name].start];
    }),
  ) as Record<Name, number>;
  const search = new URLSearchParams(names.map((name) => [name, String(values[name])]));
  const load = async (signal: AbortSignal) => {
    // A slider on its way passes many values that nobody wants to know about.
    await new Promise((done) => setTimeout(done, 60));
    signal.throwIfAborted();
    return getPlan(search, signal);
  };
  const { data, error } = useLoad<Planned>(search.toString(), 0, load, "plan");
  return (
    <div class="wide">
      <header class="screen-head">
        <Title title="Planner">Planner</Title>
        <p class="lead">How far off will the count be? Known before a single device joins, from the noise alone.</p>
      </header>
      <div class="planner">
        <form class="sliders" aria-label="What you plan" onSubmit={(event) => event.preventDefault()}>
          {names.map((name) => {
            const { label, steps, text } = scales[name];
            return (
              <Slider
                key={name}
                id={`plan-${name}`}
                label={label}
                text={text(values[name])}
                position={steps.indexOf(values[name])}
                steps={steps.length - 1}
                onChange={(position) => keepInLink({ [name]: steps[position] })}
              />
            );
          })}
          <a
            class="button"
            href={href(["new"], { periods: values.periods, max_changes: values.changes, epsilon: values.epsilon })}
          >
            Create such a metric
          </a>
        </form>
        <section aria-label="Predicted error">
          {error && <Failed message={error} />}
          {!data && !error && <Waiting what="the plan" />}
          {data && !error && <Prediction planned={data} values={values} />}
        </section>
      </div>
    </div>
  );
}

function Prediction({ planned, values }: { planned: Planned; values: Record<Name, number> }) {
  const best = planned.protocols.find((each) => each.name === planned.recommended);
  // Errors reach from a few users to more than there are: lengths go with the logarithm.
  const known = planned.protocols.flatMap((each) => (each.predicted_rmse === null ? [] : [each.predicted_rmse]));
  const least = Math.min(...known) / 2;
  const length = (rmse: number) => Math.log(rmse / least) / Math.log(Math.max(...known) / least);
  const rows = [...planned.protocols].sort((a, b) => (a.predicted_rmse ?? Infinity) - (b.predicted_rmse ?? Infinity));
  return (
    <>
      {best && best.predicted_rmse !== null && (
        <p class="say" data-testid="prediction">
          Off by about <strong>{count(roundNoise(best.predicted_rmse))}</strong> of {count(values.users)} devices
          <span class="give">, {percent(best.predicted_rmse / values.users)}</span>
        </p>
      )}
      {best?.users_needed ? (
        <p class="planner-need">
          For an error of {percent(values.target_error)} it takes <b>{count(roundNoise(best.users_needed))}</b> devices.
          {best.users_needed <= values.users
            ? " You have enough."
            : ` That is ${(best.users_needed / values.users).toFixed(1)} times what you have.`}
        </p>
      ) : null}
      <div class="scroll" tabIndex={0} role="region" aria-label="By protocol">
        <table class="protocols">
          <caption>By protocol</caption>
          <thead>
            <tr>
              <th scope="col">Protocol</th>
              <th scope="col" class="spread">
                <span class="unseen">Typical error, drawn</span>
              </th>
              <th scope="col">Typical error</th>
              <th scope="col">Worst of all periods</th>
              <th scope="col">Devices for {percent(values.target_error)}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((each) => (
              <ProtocolRow
                key={each.name}
                each={each}
                best={each.name === planned.recommended}
                length={length}
                users={values.users}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        Typical: root mean square over the periods. Worst: no period errs by more, with 95% probability. All are
        predictions, in devices. Bars are on a logarithmic scale; shorter is better.
      </p>
    </>
  );
}

function ProtocolRow({
  each,
  best,
  length,
  users,
}: {
  each: PlannedProtocol;
  best: boolean;
  length: (rmse: number) => number;
  users: number;
}) {
  const cell = (value: number | null | undefined) =>
    value === null || value === undefined ? "–" : count(roundNoise(value));
  const name = (
    <th scope="row">
      {each.name}
      {best && <small>recommended</small>}
      {each.sequence_private === false && <small class="warned">not private over the sequence</small>}
    </th>
  );
  if (each.predicted_rmse === null) {
    return (
      <tr class="unavailable">
        {name}
        <td colSpan={4}>{each.unavailable ?? "not for these numbers"}</td>
      </tr>
    );
  }
  return (
    <tr class={best ? "best" : ""}>
      {name}
      <td class="spread">
        <span class="length" style={{ width: `${Math.max(1, 100 * length(each.predicted_rmse))}%` }} />
      </td>
      <td>
        {cell(each.predicted_rmse)}{" "}
        <small>{each.predicted_rmse > users ? "more than all" : percent(each.predicted_rmse / users)}</small>
      </td>
      <td>{cell(each.predicted_max_error)}</td>
      <td>{cell(each.users_needed)}</td>
    </tr>
  );
}
