import "./create_screen.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { createMetric, getService, type NewMetric, type Service } from "../../collector/api";
import { Failed } from "../../parts/notices";
import { Title } from "../../parts/title";
import { useLoad } from "../../state/connection";
import { goTo, href, useRoute } from "../../state/route";
import { keepToken } from "../../collector/token";
import { horizonText, lastDay } from "../../plan/outlook";
import { instantOf } from "../../zoned_time";
import { isTooFew, soundsLikeHabit } from "../../plan/habit";
import { seasonCost } from "../../plan/season_cost";
import { many } from "../../words";
import { AdminToken } from "./admin_token";
import { OutlookPanel } from "./outlook_panel";
import { SegmentFields, segmentsOf } from "./segment_fields";
import { Schedule, scheduleOf } from "./schedule";
import { TranscriptCap } from "./transcript_cap";
import { kindNamed, ValueFields, valueOf, type Kind } from "./value_fields";

type Text = (key: string) => string;
const textOf =
  (form: FormData): Text =>
  (key) =>
    String(form.get(key) ?? "").trim();

export function CreateScreen() {
  const { query } = useRoute();
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(false);
  const [filled, setFilled] = useState<FormData | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const { data: service } = useLoad<Service>("service", 0, getService);
  const limits = service?.limits;
  // The form may be gone by the time the limits come.
  const look = () => form.current && setFilled(new FormData(form.current));
  useEffect(() => void look(), [limits !== undefined]);
  const text = textOf(filled ?? new FormData());
  const kind: Kind = filled ? (text("kind") as Kind) : kindNamed(query.get("kind"));
  const endless = filled?.has("endless") ?? false;
  // The recommended protocol is not known here, so one has to be named.
  const offersCap = limits?.capped_protocols.includes(text("protocol")) ?? false;

  const isHabit =
    soundsLikeHabit(text("description")) && isTooFew(Number(text("max_changes")), Number(text("periods")));

  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = textOf(form);
    setBusy(true);
    setFailed("");
    try {
      const value = valueOf(text);
      const segment = segmentsOf(text);
      const body: NewMetric = {
        description: text("description"),
        periods: Number(text("periods")),
        max_changes: Number(text("max_changes")),
        epsilon: text("epsilon"),
        ...(text("protocol") && { protocol: text("protocol") }),
        ...(value && { value }),
        ...(segment && { segment }),
        ...(offersCap && { transcript_cap: form.has("transcript_cap") }),
        ...(form.has("test") && { test: true }),
        ...scheduleOf(text),
        ...(form.has("endless") && { seasons: { every: Number(text("every")), rest: Number(text("rest")) } }),
      };
      await createMetric(text("name"), body, text("token"));
      keepToken(text("token"));
      goTo(href(["metric", text("name")]));
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };

  const number = (key: string, label: string, value: string, least: number, most: number | undefined, hint: string) => (
    <div class="field">
      <label for={key}>{label}</label>
      <input
        id={key}
        name={key}
        type="number"
        step={key === "epsilon" ? "any" : 1}
        min={least}
        max={most}
        required
        defaultValue={query.get(key) ?? value}
        aria-describedby={`${key}-hint`}
      />
      <p class="hint" id={`${key}-hint`}>
        {hint}
      </p>
    </div>
  );
  return (
    <div class="narrow">
      <header class="screen-head">
        <p class="crumb">
          <a href={href([])}>Metrics</a>
        </p>
        <Title title="New metric">New metric</Title>
        <p class="lead">
          A metric cannot be changed once it is made, because devices pin its plan. The{" "}
          <a href={href(["planner"])}>planner</a> helps to choose.
        </p>
      </header>
      <form class="create" onSubmit={create} onInput={look} onChange={look} ref={form}>
        {service && <AdminToken possible={service.admin} />}
        <div class="field">
          <label for="description">What does it ask?</label>
          <input
            id="description"
            name="description"
            maxLength={200}
            placeholder="Is dark mode switched on?"
            aria-describedby="description-hint"
          />
          <p class="hint" id="description-hint">
            A question that each device can answer. Everyone can read it.
          </p>
          {isHabit && (
            <p class="notice" role="status" data-testid="habit">
              <strong>This sounds like a habit.</strong> What people do again and again changes from period to period. A
              device is counted for at most {many(Number(text("max_changes")), "change")} in{" "}
              {many(Number(text("periods")), "period")}; further changes make the figures wrong. Ask for a lasting state
              instead, such as a setting, or plan for more changes.
            </p>
          )}
        </div>
        <div class="field">
          <label for="name">Name</label>
          <input
            id="name"
            name="name"
            required
            maxLength={64}
            pattern="[A-Za-z0-9_\-][A-Za-z0-9_.\-]*"
            placeholder="dark-mode"
            autocomplete="off"
            spellcheck={false}
            aria-describedby="name-hint"
          />
          <p class="hint" id="name-hint">
            Letters, digits, hyphens, underscores and dots. It is part of addresses.
          </p>
        </div>
        <ValueFields kind={kind} />
        <Schedule>
          {number(
            "periods",
            endless ? "Periods in a season" : "Periods",
            "256",
            1,
            limits?.periods,
            endless ? "How long one device takes part." : "How many times devices are counted in all.",
          )}
        </Schedule>
        {!endless && <HorizonLine text={text} />}
        <div class="field check">
          <input id="endless" name="endless" type="checkbox" aria-describedby="endless-hint" />
          <label for="endless">Without an end</label>
          <p class="hint" id="endless-hint">
            Each device takes part for a season, rests, and takes part again. The budget below is for any window as long
            as the rest. A value that stays true for years spends it once a season.
          </p>
          {endless && <CostLine text={text} />}
        </div>
        {endless && (
          <div class="fields">
            {number(
              "every",
              "A season begins every",
              "32",
              1,
              limits?.periods,
              "In periods. It divides season and rest.",
            )}
            {number(
              "rest",
              "A device rests for",
              "256",
              0,
              limits?.periods,
              "In periods. Use the window of your promise.",
            )}
          </div>
        )}
        <div class="fields">
          {number(
            "max_changes",
            "Changes counted, at most",
            "4",
            1,
            limits?.max_changes,
            "Of one device, over all periods. Fewer changes mean less noise.",
          )}
          {number(
            "epsilon",
            "Privacy budget ε",
            "1",
            limits?.epsilon[0] ?? 0,
            limits?.epsilon[1],
            "Of one device, over all periods. A smaller budget is more private.",
          )}
        </div>
        <SegmentFields named={text("segment_name") !== ""} />
        <details class="more-fields">
          <summary>Protocol, for specialists</summary>
          <div class="field">
            <label for="protocol">Protocol</label>
            <select id="protocol" name="protocol">
              <option value="">the recommended one</option>
              {limits?.protocols.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </div>
          {limits && offersCap && <TranscriptCap rate={limits.cap_rate} />}
        </details>
        <div class="field check">
          <input id="test" name="test" type="checkbox" aria-describedby="test-hint" />
          <label for="test">For a test or a demonstration</label>
          <p class="hint" id="test-hint">
            Simulated devices may report to it (futurerand swarm), and the page says so. Never for real data.
          </p>
        </div>
        <div class="field">
          <label for="users">Devices that you expect</label>
          <input
            id="users"
            name="users"
            type="number"
            min={1}
            step={1}
            defaultValue={query.get("users") ?? "10000"}
            aria-describedby="users-hint"
          />
          <p class="hint" id="users-hint">
            Only for the prediction. The metric accepts any number of devices.
          </p>
        </div>
        {filled && <OutlookPanel asked={askedOf(text)} />}
        {failed && <Failed message={failed} />}
        <button type="submit" class="primary" disabled={busy || service?.admin === false}>
          Create the metric
        </button>
      </form>
    </div>
  );
}

/** What the planner is asked about the form. */
function askedOf(text: Text) {
  const value = valueOf(text);
  const segment = segmentsOf(text);
  const labels = value?.kind === "category" ? (value.labels?.length ?? 0) + (value.other ? 1 : 0) : 0;
  const parameters: Record<string, string> =
    value?.kind === "category"
      ? { value: "category", labels: String(Math.max(2, labels)) }
      : value?.kind === "distribution"
        ? { value: "distribution", buckets: text("buckets") || "32" }
        : value?.kind === "text"
          ? { value: "text" }
          : {};
  return {
    users: Number(text("users")),
    periods: Number(text("periods")),
    changes: Number(text("max_changes")),
    epsilon: text("epsilon"),
    value: parameters,
    number:
      value?.kind === "number" ? { low: Number(text("low")), high: Number(text("high")), unit: text("unit") } : null,
    segments: segment?.values.length ?? 0,
  };
}

/** The periods with their dates: "256 days, until Aug 1, 2027". */
function HorizonLine({ text }: { text: Text }) {
  if (text("length") === "manual" || !text("length")) return null;
  const [periods, seconds] = [Number(text("periods")), Number(text("length"))];
  const start = instantOf(text("start"), text("zone") || "UTC");
  const length = horizonText(periods, seconds);
  if (!length || Number.isNaN(start)) return null;
  return (
    <p class="horizon" data-testid="horizon">
      <b>{length}</b>, until {lastDay(periods, seconds, start, text("zone"))}
    </p>
  );
}

/** Both figures of a metric without an end: any window, and a life of three years. */
function CostLine({ text }: { text: Text }) {
  const cost = seasonCost(Number(text("periods")), Number(text("rest")), Number(text("length") || NaN));
  const epsilon = Number(text("epsilon"));
  if (!cost || !(epsilon > 0)) return null;
  const spent = (seasons: number) => `ε\u00a0=\u00a0${Number((epsilon * seasons).toPrecision(9))}`;
  return (
    <p class="hint" data-testid="season-cost">
      At most <b>{spent(cost.inWindow)}</b> in any {many(cost.window, "period")} in a row, and{" "}
      <b>{spent(cost.inLife)}</b> in a life of three years.
    </p>
  );
}
