import type { Value } from "../../collector/api";
import { count } from "../../words";

const things = (value: Value) =>
  value.kind === "category"
    ? `about half of the ${count(value.labels.length + (value.other === undefined ? 0 : 1))} labels`
    : value.kind === "distribution"
      ? `about half of the ${count(value.buckets)} buckets of values`
      : "about half of all texts";

/** How a label, a bucket or a text becomes a yes or no. */
export const RowExplained = ({ value }: { value: Value }) => (
  <>
    <h3>The row</h3>
    <p data-testid="row">
      A public hash of the device's random name picks its row: a rule that says yes to {things(value)} and no to the
      others. The device reports only this yes or no, through the noise below, and never the value itself.
    </p>
  </>
);
