import "./chart.css";
import type { Shown } from "../estimates/use_bands";
import { percent } from "../words";

/** What the lines and areas of the chart are. */
export function Key(props: { shown: Shown; level: number; truth?: boolean; noisy?: boolean }) {
  const { shown, level, truth, noisy } = props;
  return (
    <ul class="key" aria-label="Key">
      <li>
        <i class="swatch line" /> Estimate
      </li>
      {truth && (
        <li>
          <i class="swatch truth" /> Truth
        </li>
      )}
      {shown !== "simultaneous" && (
        <li>
          <i class="swatch band" /> {percent(level)} range for one period
        </li>
      )}
      {shown !== "pointwise" && (
        <li>
          <i class="swatch band-all" /> {percent(level)} range for the whole curve
        </li>
      )}
      {noisy && (
        <li data-testid="noisy-key">
          <i class="swatch noisy" /> Grey: too noisy to be useful
        </li>
      )}
      <li>
        <i class="swatch reports" /> Reports in, of those due
      </li>
    </ul>
  );
}
