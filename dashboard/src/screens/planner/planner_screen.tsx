import "./planner_screen.css";
import { getPlan, type Planned } from "../../collector/api";
import { Failed, Waiting } from "../../parts/notices";
import { Choices } from "../../parts/choices";
import { NumberSlider, onScale } from "../../parts/number_slider";
import { Title } from "../../parts/title";
import { useLoad } from "../../state/connection";
import { oneOf } from "../../estimates/options";
import { href, keepInLink, useRoute } from "../../state/route";
import { Prediction } from "./prediction";
import { bucketCounts, labelScale, names, scales, type PlannedKind, type Wanted } from "./scales";
import { ValuePrediction } from "./value_prediction";

const kinds: { value: PlannedKind; label: string }[] = [
  { value: "yes_no", label: "Yes or no" },
  { value: "category", label: "Labels" },
  { value: "distribution", label: "Distribution" },
];

/** What the link says of the kind of answer. A bad figure counts as the usual one. */
function kindOf(query: URLSearchParams) {
  const kind = kinds.find(({ value }) => value === query.get("value"))?.value ?? "yes_no";
  const asked = Number(query.get("labels"));
  const labels = query.has("labels") && onScale(labelScale, asked) ? asked : labelScale.start;
  const buckets = bucketCounts.find((each) => each === Number(query.get("buckets"))) ?? 32;
  const search: Record<string, string> =
    kind === "category"
      ? { value: kind, labels: String(labels) }
      : kind === "distribution"
        ? { value: kind, range: "0,1", buckets: String(buckets) }
        : {};
  return { kind, labels, buckets, search };
}

const lengths = [
  { value: "3600", label: "an hour" },
  { value: "86400", label: "a day" },
  { value: "604800", label: "a week" },
] as const;

export function PlannerScreen() {
  const { query } = useRoute();
  const length = oneOf(
    lengths.map(({ value }) => value),
    query.get("length"),
    "86400",
  );
  const seconds = Number(length);
  const wanted = Object.fromEntries(
    names.map((name) => {
      const asked = Number(query.get(name));
      return [name, query.has(name) && onScale(scales[name], asked) ? asked : scales[name].start];
    }),
  ) as Wanted;
  const { kind, labels, buckets, search: ofKind } = kindOf(query);
  const search = new URLSearchParams({
    ...Object.fromEntries(names.map((name) => [name, String(wanted[name])])),
    ...ofKind,
  });
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
          How far off will the count be? The noise alone decides this, so it is known before any device joins.
        </p>
      </header>
      <div class="planner">
        <form class="sliders" aria-label="What you plan" onSubmit={(event) => event.preventDefault()}>
          <Choices
            name="value"
            label="Kind of answer"
            value={kind}
            choices={kinds}
            onChange={(value) => keepInLink({ value: value === "yes_no" ? undefined : value })}
          />
          {kind === "category" && (
            <NumberSlider
              id="plan-labels"
              scale={labelScale}
              value={labels}
              onChange={(value) => keepInLink({ labels: value })}
            />
          )}
          {kind === "distribution" && (
            <div class="field">
              <label for="plan-buckets">Buckets</label>
              <select
                id="plan-buckets"
                value={buckets}
                onChange={(event) => keepInLink({ buckets: Number(event.currentTarget.value) })}
              >
                {bucketCounts.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            </div>
          )}
          <Choices
            name="length"
            label="A period is"
            value={length}
            choices={[...lengths]}
            onChange={(value) => keepInLink({ length: value === "86400" ? undefined : value })}
          />
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
            href={href(["new"], {
              periods: wanted.periods,
              max_changes: data?.value_plan?.recommended_max_changes ?? wanted.changes,
              epsilon: wanted.epsilon,
              users: wanted.users,
              ...(length !== "86400" && { length }),
              ...(kind !== "yes_no" && { kind }),
            })}
          >
            Create such a metric
          </a>
        </form>
        <section aria-label="Predicted error">
          {error && <Failed message={error} />}
          {!data && !error && <Waiting what="the plan" />}
          {data?.value_plan && !error && (
            <ValuePrediction plan={data.value_plan} isDistribution={kind === "distribution"} users={wanted.users} />
          )}
          {data && !error && <Prediction planned={data} wanted={wanted} seconds={seconds} />}
        </section>
      </div>
    </div>
  );
}
