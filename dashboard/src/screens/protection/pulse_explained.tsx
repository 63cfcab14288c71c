import type { Plan } from "../../collector/api";
import { many } from "../../words";

/** What leaves a device of `pulse` when nothing changes, and when its state begins. */
export function PulseExplained({ plan }: { plan: Plan }) {
  return (
    <>
      <h3>When nothing changes</h3>
      <p>
        The device sends one sign a period, always. A plus is a pulse. On joining it drew how many pulses it has, by its
        way to report, and in which slots they are. It reads one slot a period. Most are minus.
      </p>
      <h3>When the state begins</h3>
      <p>
        The device keeps some slots apart, its window. It reads them in the periods after the state began. They hold a
        pulse more often than chance would have it. Then it goes on with the others. Nobody sees from the outside that
        this happened: each pulse could have been there without it. Later changes are ignored.
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
