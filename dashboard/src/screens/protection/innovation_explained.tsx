import type { Law, Plan } from "../../collector/api";
import { count, many, percentLike } from "../../words";

/** Returns how often a sign of this level says what is so, rather than the opposite: its gap is in units of 2^-40. */
const right = (law: Law, level: number) => percentLike((1 + law.gaps![level]! / 2 ** 40) / 2, 0.01);

/** Returns how much more often a symbol says what is so than the opposite, where it may also be silent. */
const lead = (law: Law, level: number) => percentLike(law.gaps![level]! / 2 ** 40, 0.0001);

/** Picks the freshest levels, then ever fewer of the older ones. */
const shown = (settled: number) => Array.from({ length: settled }, (_, l) => l).filter((l) => (l & (l - 1)) === 0);

/** What leaves a device of `innovation` when nothing changes, and when something does. */
export function InnovationExplained({ plan, law }: { plan: Plan; law: Law }) {
  const settled = law.gaps!.length - 1;
  const quiet = law.speak !== undefined;
  const carried = quiet ? lead : right;
  return (
    <>
      <h3>When nothing changes</h3>
      {quiet ? (
        <p>
          The device still sends one sign a period, always, and nearly always it is 0. It tells old news quietly: plus
          and minus are right about the answer more often than wrong by only {lead(law, settled)} of all its signs.
        </p>
      ) : (
        <p>
          The device still sends one sign a period, always. It tells old news quietly: a sign is right about the answer
          in {right(law, settled)} of all cases, and a coin would be in 50%.
        </p>
      )}
      <h3>When something changes</h3>
      <p>
        The sign of that period tells the new answer louder, and those after it ever more quietly, until the change is
        old news after {many(settled, "period")}. Nobody sees from the outside that this happened: it is one sign a
        period as before, and each could have been the other one.
      </p>
      <table>
        <caption>
          {quiet ? "How much more often a sign says what is so than the opposite" : "How often a sign says what is so"}
        </caption>
        <thead>
          <tr>
            <th scope="col">Sent</th>
            <th scope="col">{quiet ? "Right less wrong" : "Right"}</th>
            <th scope="col">Noise for it, drawn on joining</th>
          </tr>
        </thead>
        <tbody>
          {shown(settled).map((level) => (
            <tr key={level}>
              <th scope="row">{level === 0 ? "in the period of a change" : `${many(level, "period")} after it`}</th>
              <td>{carried(law, level)}</td>
              <td>{many(law.stocks![level]!, "sign")}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">later, and before any change</th>
            <td>{carried(law, settled)}</td>
            <td>{many(law.stocks![settled]!, "sign")}</td>
          </tr>
        </tbody>
      </table>
      <p>
        The noise was drawn before the device looked at any answer: {count(law.signs)} signs, of which those for fresh
        news are enough for {many(plan.max_changes, "change")}. Each is used once and then erased. News that finds none
        left is left to {quiet ? "chance" : "a coin"}, and so is, now and then, news that lies between two of these
        steps. So what a device can give away, in all, was settled before there was anything to tell.
      </p>
    </>
  );
}
