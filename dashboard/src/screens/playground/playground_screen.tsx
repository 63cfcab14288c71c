import "./playground_screen.css";
import { useState } from "preact/hooks";
import { startPlayground } from "../../collector/api";
import { Choices } from "../../parts/choices";
import { Failed, Waiting } from "../../parts/notices";
import { Slider } from "../../parts/slider";
import { Title } from "../../parts/title";
import { connection } from "../../state/connection";
import { useObservable } from "../../observable";
import { count } from "../../words";
import { currentRun, keepRun } from "./current_run";
import { Run } from "./run";

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
  const { demo } = useObservable(connection);
  const run = useObservable(currentRun);
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
      keepRun(
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
  if (demo === null) return <Waiting what="the playground" />;
  if (!demo) {
    return (
      <div class="narrow">
        <Title title="Playground">Playground</Title>
        <p class="lead">
          The playground needs <code>futurerand serve --demo</code>. This collector counts real devices, and simulates
          none.
        </p>
      </div>
    );
  }
  return (
    <div class="wide">
      <header class="screen-head">
        <Title title="Playground">Playground</Title>
        <p class="lead">
          This collector simulates a fleet for you. Only here the truth is known. See how the estimate follows it
          without ever reading a value.
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
        <p class="hint">Each device draws its own noise and sends its signs to this collector, like a real one.</p>
      )}
    </div>
  );
}
