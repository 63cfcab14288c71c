import type { Estimates } from "../../collector/api";
import { sentence } from "../../words";

/** Why the figures are of little use, or doubtful. */
export const Warnings = ({ estimates }: { estimates: Estimates }) => (
  <>
    {estimates.warning && (
      <div class="notice" data-testid="warning">
        <strong>Careful:</strong> {estimates.warning}.
      </div>
    )}
    {estimates.alarm && (
      <div class="notice bad" role="alert">
        <strong>These figures are doubtful.</strong> {sentence(estimates.alarm)}
      </div>
    )}
  </>
);
