import { useState } from "preact/hooks";
import type { Plan } from "../../collector/api";
import { Failed, Waiting } from "../../parts/notices";
import { Draws, type Life, wholeLife } from "../../plan/whole_life";
import { viewName } from "../../plan/view_name";
import { useLoad } from "../../state/connection";
import { count } from "../../words";

/** A device in the browser, with the plan of the metric: what it holds, and what leaves it in all. */
export function DeviceDemo({ name, plan }: { name: string; plan: Plan }) {
  const stretches = Math.min(12, plan.periods);
  const [values, setValues] = useState(() => Array.from({ length: stretches }, (_, i) => i >= stretches / 4));
  const [draws, setDraws] = useState({ number: 0, of: new Draws() });
  const key = `${name} ${draws.number} ${values.map(Number).join("")}`;
  const { data: life, error } = useLoad<Life>(key, 0, () => wholeLife(plan, draws.of, values), name);
  const flip = (at: number) => setValues(values.map((value, i) => (i === at ? !value : value)));
  return (
    <section class="device" aria-label="A device">
      <div class="device-controls">
        <button type="button" onClick={() => setDraws({ number: draws.number + 1, of: new Draws() })}>
          Draw new noise
        </button>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="What the device holds">
        <table class="bits">
          <tbody>
            <tr>
              <th scope="row">Holds the state</th>
              {values.map((value, i) => (
                <td key={i}>
                  <button
                    type="button"
                    class="bit"
                    aria-pressed={value}
                    aria-label={`Holds the state, ${i + 1}: ${value ? "yes" : "no"}`}
                    onClick={() => flip(i)}
                  >
                    {value ? "yes" : "no"}
                  </button>
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      {error && <Failed message={error} />}
      {!life && !error && <Waiting what="the device" />}
      {life && (
        <>
          <p class="hint">
            The buttons are all {count(plan.periods)} periods. This device drew “
            {viewName(plan.views[life.view]!, plan.periods)}”. It sends only these lines:
          </p>
          <pre class="code wrapped" tabIndex={0} aria-label="The lines that are sent">
            {life.lines.join("\n")}
          </pre>
        </>
      )}
    </section>
  );
}
