import { useMemo, useState } from "preact/hooks";
import type { Plan, View } from "../../collector/api";
import { drawFirst, drawSigns, inputs, lnLikelihood, positions, randomize, symbols } from "../../plan/device";
import { drawUnchanged, speakingShare } from "../../plan/quiet";
import { viewName } from "../../plan/view_name";
import { count, percent, timesLikelier } from "../../words";

const sign = (value: number) => symbols([value]).replace("-", "−");

/** Which signs mean something. */
function reading({ kind, law }: View): string {
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
  const [draw, setDraw] = useState(0);
  const view = plan.views[chosen]!;
  const indices = Math.max(1, plan.periods >> view.order);
  const length = Math.min(12, indices);
  const [values, setValues] = useState<number[]>([0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  const held = values.slice(0, length);
  const noise = useMemo(
    () => ({
      b: drawSigns(view.law),
      coins: drawUnchanged(view.law, length),
      first: drawFirst(view, length),
      client: hex(16),
    }),
    [chosen, draw, length],
  );
  const at = positions(view, length, noise.first);
  const from = inputs(view, held, noise.first);
  const sent = randomize(view.law, noise.b, noise.coins, from);
  const other = inputs(
    view,
    held.map(() => 0),
    noise.first,
  );
  const signs = sent.map(({ sign }) => sign);
  const ratio = Math.exp(lnLikelihood(view.law, from, signs) - lnLikelihood(view.law, other, signs));
  const index = noise.first + 1;
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
        <button type="button" onClick={() => setDraw(draw + 1)}>
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
                    aria-label={`index ${i + 1}: ${value ? "yes" : "no"}`}
                    onClick={() => flip(i)}
                  >
                    {value ? "yes" : "no"}
                  </button>
                </td>
              ))}
            </tr>
            <tr>
              <th scope="row">To report</th>
              {held.map((_, i) => {
                const input = from[at.indexOf(i)];
                return (
                  <td key={i} class="input">
                    {input === undefined ? "" : input === 0 ? "0" : input > 0 ? "+1" : "−1"}
                  </td>
                );
              })}
            </tr>
            <tr>
              <th scope="row">Leaves the device</th>
              {held.map((_, i) => {
                const bit = sent[at.indexOf(i)];
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
        {`{"client":"${noise.client}","view":${chosen},"period":1${view.kind === "snapshot" ? `,"index":${index}` : ""}}\n`}
        {`{"client":"${noise.client}","index":${index},"signs":"${symbols(signs)}"}`}
      </pre>
      <p>
        That is all the collector gets. These signs are <strong>{ratio.toFixed(2)} times</strong> as likely from this
        history as from one in which the state was never held. No signs and no two histories ever get beyond{" "}
        {timesLikelier(Number(plan.epsilon))} times.
      </p>
    </section>
  );
}

const hex = (bytes: number) =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
