import type { Law, Plan } from "../../collector/api";
import { count, many, percentLike } from "../../words";

/** Returns how often a sign of this level is right: its gap is in units of 2^-40. */
const right = (law: Law, level: number) => percentLike((1 + law.gaps![level]! / 2 ** 40) / 2, 0.01);

/** Returns how much more often a symbol is right than wrong, if it may also be zero. */
const lead = (law: Law, level: number) => percentLike(law.gaps![level]! / 2 ** 40, 0.0001);

/** Picks the first lags, then ever fewer of the later ones. */
const shown = (lags: number) => Array.from({ length: lags }, (_, l) => l).filter((l) => (l & (l - 1)) === 0);

/** What a device of `innovation` sends when nothing changes, and when something does. */
export function InnovationExplained({ plan, law }: { plan: Plan; law: Law }) {
  const steady = law.gaps!.length - 1;
  const starts = law.start_levels ?? 0;
  const changes = steady - starts; // levels for changes come first, then those for the start
  const sparse = law.nonzero !== undefined;
  const carried = sparse ? lead : right;
  const row = (label: string, level: number) => (
    <tr key={label}>
      <th scope="row">{label}</th>
      <td>{carried(law, level)}</td>
      <td>{many(law.counts![level]!, "sign")}</td>
    </tr>
  );
  return (
    <>
      <h3>When nothing changes</h3>
      {sparse ? (
        <p>
          The device still sends one symbol in every period. It is nearly always 0. Only {lead(law, steady)} more of all
          symbols are right about the answer than wrong.
        </p>
      ) : (
        <p>
          The device still sends one sign in every period. {right(law, steady)} of these signs are right about the
          answer. A coin would be right in 50%.
        </p>
      )}
      <h3>When something changes</h3>
      <p>
        The sign of that period is right more often. The signs after it are right less and less often, until the change
        is {many(starts || changes, "period")} old. Nobody sees this from outside. The device sends one sign in every
        period as before, and chance could have produced each of them.
      </p>
      <table>
        <caption>{sparse ? "How many more signs are right than wrong" : "How many signs are right"}</caption>
        <thead>
          <tr>
            <th scope="col">Sent</th>
            <th scope="col">{sparse ? "Right less wrong" : "Right"}</th>
            <th scope="col">Noise drawn on joining</th>
          </tr>
        </thead>
        <tbody>
          {shown(starts).map((lag) =>
            row(lag === 0 ? "in the period of joining" : `${many(lag, "period")} after joining`, changes + lag),
          )}
          {shown(changes).map((lag) =>
            row(lag === 0 ? "in the period of a change" : `${many(lag, "period")} after a change`, lag),
          )}
          {row("in all other periods", steady)}
        </tbody>
      </table>
      <p>
        The device drew its noise before it looked at any answer: {count(law.signs)} signs. They are enough for{" "}
        {many(plan.max_changes, "change")}. Each is used once and then erased. If none is left, the device reports a
        change by {sparse ? "chance" : "a coin"}. So the most that it can reveal is fixed before there is anything to
        report.
      </p>
    </>
  );
}
