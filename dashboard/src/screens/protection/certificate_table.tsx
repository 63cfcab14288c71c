import type { Certificate } from "futurerand";
import type { Law, Plan } from "../../collector/api";
import { Failed, Waiting } from "../../parts/notices";
import { certifyPlan } from "../../plan/certificate";
import { viewName } from "../../plan/view_name";
import { useLoad } from "../../state/connection";

/** Returns the numbers of a law as text; long lists are shown in part. */
function integers({ shape, signs, ...rest }: Law): string {
  const short = (value: unknown) =>
    Array.isArray(value) && value.length > 4 ? `${value.slice(0, 3).join(" ")} … ${value[value.length - 1]}` : value;
  const numbers = Object.entries(rest).map(([key, value]) => `, ${key.replace("_", " ")} ${short(value)}`);
  return `${shape.replace("_", " ")}, ${signs} ${signs === 1 ? "sign" : "signs"}${numbers.join("")}`;
}

/** The certificate of each view, computed here and now by the code that devices run. */
export function CertificateTable({ name, plan }: { name: string; plan: Plan }) {
  const { data: certificate, error } = useLoad<Certificate>(`certificate of ${name}`, 0, () => certifyPlan(plan));
  if (error) return <Failed message={`This plan cannot be certified, so devices reject it: ${error}.`} />;
  if (!certificate) return <Waiting what="the certificate" />;
  return (
    <>
      {certificate.certified ? (
        <p class="notice good" data-testid="certified">
          Certified. This page computed it from the plan's integers: every way to report stays below the bound.
        </p>
      ) : (
        <p class="notice bad">
          Not certified: the integers of this plan allow more than ε = {plan.epsilon}. Devices do not join.
        </p>
      )}
      <div class="scroll" tabIndex={0} role="region" aria-label="Certificate">
        <table class="certificate">
          <thead>
            <tr>
              <th scope="col">Way to report</th>
              <th scope="col">Integers</th>
              <th scope="col">certified ε, at most</th>
            </tr>
          </thead>
          <tbody>
            {plan.views.map((view, i) => (
              <tr key={i}>
                <th scope="row">{viewName(view, plan.periods)}</th>
                <td>
                  <code>{integers(view.law)}</code>
                </td>
                <td>
                  <code>{certificate.views[i]!.exact_epsilon.toFixed(9)}</code>
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">The bound</th>
              <td />
              <td>
                <code>{Number(plan.epsilon).toFixed(9)}</code>
              </td>
            </tr>
          </tfoot>
        </table>
      </div>
      <p>
        This is the plan's digest. <code>futurerand audit</code> prints the same one, so a reviewer can check that this
        is the same plan:
      </p>
      <pre class="code" tabIndex={0} aria-label="The plan's digest" data-testid="digest">
        {certificate.digest}
      </pre>
    </>
  );
}
