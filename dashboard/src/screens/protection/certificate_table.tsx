import { useMemo } from "preact/hooks";
import type { Law, Plan } from "../../collector/api";
import { certifyPlan, decimal } from "../../plan/certificate";
import { viewName } from "../../plan/view_name";
import { timesLikelier } from "../../words";

/** The numbers of a law as text; long lists only in part. */
function integers({ shape, signs, ...rest }: Law): string {
  const short = (value: unknown) =>
    Array.isArray(value) && value.length > 4 ? `${value.slice(0, 3).join(" ")} … ${value[value.length - 1]}` : value;
  const numbers = Object.entries(rest).map(([key, value]) => `, ${key.replace("_", " ")} ${short(value)}`);
  return `${shape.replace("_", " ")}, ${signs} ${signs === 1 ? "sign" : "signs"}${numbers.join("")}`;
}

/** The certificate of each view, recomputed here and now. */
export function CertificateTable({ plan }: { plan: Plan }) {
  const certificates = useMemo(() => certifyPlan(plan), [plan]);
  const all = certificates.every((each) => each?.certified);
  const refused = certificates.some((each) => each && !each.certified);
  return (
    <>
      {all && (
        <p class="notice good" data-testid="certified">
          Certified: recomputed here from the plan's integers, every way to report stays below the bound.
        </p>
      )}
      {refused && (
        <p class="notice bad">
          Not certified: the integers of this plan allow more than ε = {plan.epsilon}, or do not fit together. Devices
          refuse to join.
        </p>
      )}
      {certificates.includes(null) && (
        <p class="notice">This plan is too long to be certified in a page. Every device does it before it joins.</p>
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label="Certificate">
        <table class="certificate">
          <thead>
            <tr>
              <th scope="col">Way to report</th>
              <th scope="col">Integers</th>
              <th scope="col">largest / smallest</th>
              <th scope="col">exact ε</th>
            </tr>
          </thead>
          <tbody>
            {plan.views.map((view, i) => {
              const found = certificates[i];
              const ratio = found?.ratio;
              return (
                <tr key={i}>
                  <th scope="row">{viewName(view, plan.periods)}</th>
                  <td>
                    <code>{integers(view.law)}</code>
                  </td>
                  <td>
                    <code>{ratio ? decimal(ratio, 15) : found ? "refused" : "too long for a page"}</code>
                  </td>
                  <td>
                    <code>{ratio && Math.log(Number(decimal(ratio, 15))).toFixed(9)}</code>
                  </td>
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">
                The bound, just below e<sup>{plan.epsilon}</sup>
              </th>
              <td />
              <td>
                <code>
                  {certificates[0] ? decimal(certificates[0].bound, 15) : timesLikelier(Number(plan.epsilon))}
                </code>
              </td>
              <td>
                <code>{Number(plan.epsilon).toFixed(9)}</code>
              </td>
            </tr>
          </tfoot>
        </table>
      </div>
    </>
  );
}
