import { useMemo } from "preact/hooks";
import type { Plan } from "../../collector/api";
import { certifyPlan, decimal } from "../../plan/certificate";
import { viewName } from "../../plan/view_name";
import { timesLikelier } from "../../words";

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
          Not certified: the integers of this plan allow more than ε = {plan.epsilon}. Devices refuse to join.
        </p>
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
              const { shape, signs, ...rest } = view.law;
              return (
                <tr key={i}>
                  <th scope="row">{viewName(view, plan.periods)}</th>
                  <td>
                    <code>
                      {shape}, k {signs}
                      {Object.entries(rest).map(([key, value]) => `, ${key.replace("_", " ")} ${value}`)}
                    </code>
                  </td>
                  <td>
                    <code>{found ? decimal(found.ratio, 15) : "–"}</code>
                  </td>
                  <td>
                    <code>{found ? Math.log(Number(decimal(found.ratio, 15))).toFixed(9) : "–"}</code>
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
