import "./planner_screen.css";
import { getPlan, type Planned } from "../../collector/api";
import { Failed, Waiting } from "../../parts/notices";
import { NumberSlider, onScale } from "../../parts/number_slider";
import { Title } from "../../parts/title";
import { useLoad } from "../../state/connection";
import { href, keepInLink, useRoute } from "../../state/route";
import { Prediction } from "./prediction";
import { names, scales, type Wanted } from "./scales";

export function PlannerScreen() {
  const { query } = useRoute();
  const wanted = Object.fromEntries(
    names.map((name) => {
      const asked = Number(query.get(name));
      return [name, query.has(name) && onScale(scales[name], asked) ? asked : scales[name].start];
    }),
  ) as Wanted;
  const search = new URLSearchParams(names.map((name) => [name, String(wanted[name])]));
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
        <p class="lead">
          How far off will the count be? That is known before a single device joins, from the noise alone.
        </p>
      </header>
      <div class="planner">
        <form class="sliders" aria-label="What you plan" onSubmit={(event) => event.preventDefault()}>
          {names.map((name) => (
            <NumberSlider
              key={name}
              id={`plan-${name}`}
              scale={scales[name]}
              value={wanted[name]}
              onChange={(value) => keepInLink({ [name]: value })}
            />
          ))}
          <a
            class="button"
            href={href(["new"], { periods: wanted.periods, max_changes: wanted.changes, epsilon: wanted.epsilon })}
          >
            Create such a metric
          </a>
        </form>
        <section aria-label="Predicted error">
          {error && <Failed message={error} />}
          {!data && !error && <Waiting what="the plan" />}
          {data && !error && <Prediction planned={data} wanted={wanted} />}
        </section>
      </div>
    </div>
  );
}
