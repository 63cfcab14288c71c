import { useMemo, useState } from "preact/hooks";
import type { Plan, View } from "../../collector/api";
import { symbols } from "../../plan/device";
import { speakingShare } from "../../plan/quiet";
import { draw, lnLikelihoodOf, report } from "../../plan/reporting";
import { viewName } from "../../plan/view_name";
import { count, percent, timesLikelier } from "../../words";

const sign = (value: number) => symbols([value]).replace("-", "−");

/** +1, −1 and 0, or +0.62: how new something is. */
const signed = (value: number, digits: number) =>
  `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(digits)}`;

/** Which signs mean something. */
function reading({ kind, law }: View): string {
  if (kind === "news") {
    return "Underlined signs carry the news through the noise, the others are coin flips. Only the device knows which are which, and which of them the noise has turned.";
  }
  if (kind !== "changes")
    return "Underlined signs carry the answer through the noise. Only the device knows which of them the noise has turned.";
  const others =
    law.shape === "quiet"
      ? `or are silenced by it. The others are 0, for silence, but for ${percent(speakingShare(law))} of them, which are + or − at random`
      : "the others are coin flips";
  return `Underlined signs carry a change through the noise, ${others}. Only the device knows which are which.`;
}

/** A device in the browser, with the plan of the metric: what it holds, and what leaves it. */
export function DeviceDemo({ plan }: { plan: Plan }) {
  const heaviest = plan.views.reduce(
    (best, view, i) => (view.kind === "changes" && view.weight > (plan.views[best]?.weight ?? 0) ? i : best),
    -1,
  );
  const [chosen, setChosen] = useState(Math.max(0, heaviest));
  const [drawing, setDrawing] = useState(0);
  const view = plan.views[chosen]!;
  const indices = Math.max(1, plan.periods >> view.order);
  const length = Math.min(12, indices);
  const [values, setValues] = useState<number[]>([0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  const held = values.slice(0, length);
  const drawn = useMemo(() => ({ ...draw(view, length), client: hex(16) }), [chosen, drawing, length]);
  const sent = report(view, drawn, held);
  const bySlot = new Map(sent.map((each) => [each.at, each]));
  const signs = sent.map(({ sign }) => sign);
  const likelihood = (history: number[]) => lnLikelihoodOf(view, drawn.first, history, signs);
  const ratio = Math.exp(likelihood(held) - likelihood(held.map(() => 0)));
  const index = drawn.first + 1;
  const flip = (at: number) => setValues(values.map((value, i) => (i === at ? 1 - value : value)));
  return (
    <section class="device" aria-label="A device">
      <div class="device-controls">
        <div class="field">
          <label for="device-view">Way to report</label>
          <select id="device-view" value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {plan.views.map((each, i) => (
              <option key={i} value={i}>
                {viewName(each, plan.periods)}
              </option>
            ))}
          </select>
        </div>
        <button type="button" onClick={() => setDrawing(drawing + 1)}>
          Draw new noise
        </button>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="What the device holds and sends">
        <table class="bits">
          <tbody>
            <tr>
              <th scope="row">Holds the state</th>
              {held.map((value, i) => (
                <td key={i}>
                  <button
                    type="button"
                    class="bit"
                    aria-pressed={value === 1}
                    aria-label={`Holds the state, ${i + 1}: ${value ? "yes" : "no"}`}
                    onClick={() => flip(i)}
                  >
                    {value ? "yes" : "no"}
                  </button>
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">{view.kind === "news" ? "What is new" : "To report"}</th>
              {held.map((_, i) => {
                const input = bySlot.get(i)?.input;
                return (
                  <td key={i} class="input">
                    {input === undefined ? "" : signed(input, view.kind === "news" ? 2 : 0)}
                  </td>
                );
              })}
            </tr>
            <tr>
              <th scope="row">Leaves the device</th>
              {held.map((_, i) => {
                const bit = bySlot.get(i);
                return (
                  <td key={i} class={`sent ${bit?.carries ? "carries" : "coin"}`}>
                    {bit && sign(bit.sign)}
                  </td>
                );
              })}
            </tr>
          </tbody>
        </table>
      </div>
      <p class="hint">
        {reading(view)}
        {view.order > 0 && view.kind !== "snapshot" && ` A column is ${count(2 ** view.order)} periods.`}
        {view.kind === "snapshot" &&
          length < indices &&
          ` Drawn as if there were ${count(length)} times to report, not ${count(indices)}.`}
      </p>
      <pre class="code" tabIndex={0} aria-label="The lines that are sent">
        {`{"client":"${drawn.client}","view":${chosen},"period":1${view.kind === "snapshot" ? `,"index":${index}` : ""}}\n`}
        {`{"client":"${drawn.client}","index":${index},"signs":"${symbols(signs)}"}`}
      </pre>
      <p>
        That is all the collector gets. These signs are <strong data-testid="ratio">{ratio.toFixed(2)} times</strong> as
        likely from this history as from one in which the state was never held. No signs and no two histories ever get
        beyond {timesLikelier(Number(plan.epsilon))} times.
      </p>
    </section>
  );
}

const hex = (bytes: number) =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
