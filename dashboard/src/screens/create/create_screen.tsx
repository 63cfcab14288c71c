import "./create_screen.css";
import { useState } from "preact/hooks";
import { createMetric, getLimits, type Limits, type NewMetric } from "../../collector/api";
import { Failed } from "../../parts/notices";
import { Title } from "../../parts/title";
import { useLoad } from "../../state/connection";
import { goTo, href, useRoute } from "../../state/route";
import { keepToken, readToken } from "../../collector/token";
import { Schedule, scheduleOf } from "./schedule";
import { TranscriptCap } from "./transcript_cap";
import { kindNamed, ValueFields, valueOf, type Kind } from "./value_fields";

export function CreateScreen() {
  const { query } = useRoute();
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(false);
  const [protocol, setProtocol] = useState("");
  const [kind, setKind] = useState<Kind>(kindNamed(query.get("kind")));
  const [endless, setEndless] = useState(false);
  const { data: limits } = useLoad<Limits>("limits", 0, getLimits);
  // The recommended protocol is not known here, so one has to be named.
  const offersCap = limits?.capped_protocols.includes(protocol) ?? false;

  const look = (event: InputEvent) => {
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setProtocol(String(form.get("protocol")));
    setKind(form.get("kind") as Kind);
    setEndless(form.has("endless"));
  };

  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (key: string) => String(form.get(key) ?? "").trim();
    setBusy(true);
    setFailed("");
    try {
      const value = valueOf(text);
      const body: NewMetric = {
        description: text("description"),
        periods: Number(text("periods")),
        max_changes: Number(text("max_changes")),
        epsilon: text("epsilon"),
        ...(text("protocol") && { protocol: text("protocol") }),
        ...(value && { value }),
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
      <form class="create" onSubmit={create} onInput={look}>
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
            endless ? "A device takes part for so long." : "How many times it is counted, in all.",
          )}
        </Schedule>
        <div class="field check">
          <input id="endless" name="endless" type="checkbox" aria-describedby="endless-hint" />
          <label for="endless">Without an end</label>
          <p class="hint" id="endless-hint">
            Each device takes part for a season, rests, and takes part again. The budget below is for any window as long
            as the rest. What stays true for years spends it once a season.
          </p>
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
              "In periods. Take the window of your promise.",
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
        <div class="field check">
          <input id="test" name="test" type="checkbox" aria-describedby="test-hint" />
          <label for="test">For a test or a demonstration</label>
          <p class="hint" id="test-hint">
            Simulated devices may report to it (futurerand swarm), and the page says so. Never for real data.
          </p>
        </div>
        <div class="field">
          <label for="token">Admin token</label>
          <input
            id="token"
            name="token"
            type="password"
            required
            defaultValue={readToken()}
            autocomplete="off"
            aria-describedby="token-hint"
          />
          <p class="hint" id="token-hint">
            The one the collector was started with. It stays in this tab until the tab closes, and nowhere else.
          </p>
        </div>
        {failed && <Failed message={failed} />}
        <button type="submit" class="primary" disabled={busy}>
          Create the metric
        </button>
      </form>
    </div>
  );
}
