// The certificate of a plan, computed in the reader's browser by the code that devices run, as WebAssembly.
import type { Certificate } from "futurerand";
import type { Plan } from "../collector/api";

/** Loads the module only now: a page that shows counts does without it. */
export async function certifyPlan(plan: Plan): Promise<Certificate> {
  const { certify } = await import("futurerand");
  return certify(plan);
}
