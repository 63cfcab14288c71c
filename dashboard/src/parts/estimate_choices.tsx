// Which estimate is shown, and how sure its ranges are. The link keeps both.
import type { Estimator } from "../collector/api";
import { estimators, levels } from "../estimates/options";
import { keepInLink } from "../state/route";
import { percent } from "../words";
import { Choices } from "./choices";

export const EstimatorChoice = ({ value }: { value: Estimator }) => (
  <Choices
    name="estimator"
    label="Estimate"
    value={value}
    choices={estimators}
    onChange={(estimator) => keepInLink({ estimator })}
  />
);

export const ConfidenceChoice = ({ value }: { value: number }) => (
  <Choices
    name="level"
    label="Confidence"
    value={String(value)}
    choices={levels.map((level) => ({ value: level, label: percent(Number(level)) }))}
    onChange={(level) => keepInLink({ level })}
  />
);
