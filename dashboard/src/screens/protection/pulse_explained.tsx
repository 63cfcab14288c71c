import type { Plan } from "../../collector/api";
import { many } from "../../words";

/** What leaves a device of `pulse` when nothing changes, and when its state begins. */
export function PulseExplained({ plan }: { plan: Plan }) {
  return (
    <>
      <h3>When nothing changes</h3>
      <p>
        The device sends one sign in every period. A plus is a pulse. On joining the device drew its way to report,
        which sets the number of its pulses, and their slots. It reads one slot in every period. Most slots are minus.
      </p>
      <h3>When the state begins</h3>
      <p>
        The device reserves some slots as its window. It reads them in the first periods of the state. They hold a pulse
        more often than the other slots. Then it continues with the others. Nobody sees this from outside, because
        chance could have produced each pulse. Later changes are ignored.
      </p>
      <table>
        <caption>The ways to report</caption>
        <thead>
          <tr>
            <th scope="col">Window</th>
            <th scope="col">Slots</th>
            <th scope="col">Pulses among them</th>
          </tr>
        </thead>
        <tbody>
          {plan.views.map(({ law }) => (
            <tr key={law.window}>
              <th scope="row">{many(law.window!, "period")}</th>
              <td>{law.signs}</td>
              <td>{law.pulses}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
