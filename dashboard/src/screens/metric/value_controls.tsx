// What a reader may choose about labels and distributions.
import type { Metric } from "../../collector/api";
import { ranges } from "../../estimates/options";
import { Choices } from "../../parts/choices";
import { ConfidenceChoice } from "../../parts/estimate_choices";
import { keepInLink } from "../../state/route";
import { Ranges } from "./ranges";
import { looks, windows, zoomTo, type Selection, type ValueSelection } from "./selection";

/** Coded metrics show one kind of range at a time. */
export const bandOf = ({ shown }: Selection) => (shown === "simultaneous" ? "simultaneous" : "pointwise");

export function ValueControls(props: {
  metric: Metric;
  selection: Selection;
  values: ValueSelection;
  last: number;
  stacks?: boolean;
}) {
  const { selection, values, last } = props;
  const pooled = windows.filter((periods) => Number(periods) <= Math.max(1, last));
  return (
    <div class="controls">
      {props.stacks && (
        <Choices
          name="look"
          label="Show"
          value={values.look}
          choices={[...looks]}
          onChange={(look) => keepInLink({ look })}
        />
      )}
      <Choices
        name="band"
        label="Range"
        value={bandOf(selection)}
        choices={ranges.filter(({ value }) => value !== "both")}
        onChange={(band) => keepInLink({ band })}
      />
      <ConfidenceChoice value={selection.level} />
      {pooled.length > 1 && (
        <Choices
          name="window"
          label="Mean of periods"
          value={String(values.window)}
          choices={pooled.map((value) => ({
            value,
            label: value,
            hint: value === "1" ? "Each period by itself." : `Each figure is the mean of ${value} periods: less noise.`,
          }))}
          onChange={(window) => keepInLink({ window: window === "1" ? undefined : window })}
        />
      )}
      <Ranges last={last} selection={selection} zoom={(from, to) => zoomTo(from, to, last)} />
    </div>
  );
}
