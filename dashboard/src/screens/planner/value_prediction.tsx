// What the planner found for labels and distributions: which number of planned changes errs least.
import type { ValuePlan } from "../../collector/api";
import { count, many, percent, roundNoise } from "../../words";

interface Props {
  plan: ValuePlan;
  isDistribution: boolean;
  users: number;
}

export function ValuePrediction({ plan, isDistribution, users }: Props) {
  const best = plan.choices.find((each) => each.max_changes === plan.recommended_max_changes);
  if (!best) return null;
  const what = isDistribution ? "the share below a threshold" : "the share of each label";
  return (
    <>
      <p class="say" data-testid="value-prediction">
        With {many(users, "device")}, {what} is off by about <strong>{percent(best.noise)}</strong>
        {isDistribution && <span class="give">, the mean by {percent(best.mean_noise)} of the range</span>}
      </p>
      {!isDistribution && (
        <div class="scroll" tabIndex={0} role="region" aria-label="By planned changes">
          <table class="protocols">
            <caption>By the number of changes that the metric plans for, in shares of the devices.</caption>
            <thead>
              <tr>
                <th scope="col">Planned changes</th>
                <th scope="col">Noise of a label</th>
                <th scope="col">Lost by a device that changes most</th>
                <th scope="col">Error of a label of 10%</th>
              </tr>
            </thead>
            <tbody>
              {plan.choices.map((each) => (
                <tr key={each.max_changes} class={each === best ? "best" : ""}>
                  <th scope="row">
                    {each.max_changes}
                    {each === best && <small>recommended</small>}
                  </th>
                  <td>{percent(each.noise)}</td>
                  <td>{percent(each.loss)}</td>
                  <td>{percent(each.error)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="planner-need">
        {plan.devices_for_share.map(({ share, devices }, i) => (
          <span key={share}>
            {i === 0 ? (isDistribution ? "A share of " : "A label of ") : ", of "}
            {percent(share)} takes <b>{count(roundNoise(devices))}</b> devices
          </span>
        ))}
        . The noise is then a quarter of it.
      </p>
    </>
  );
}
