import "./parts.css";

export interface Choice<T extends string> {
  value: T;
  label: string;
  hint?: string;
}

/** One of a few, as radio buttons that look like one control. */
export function Choices<T extends string>(props: {
  name: string;
  label: string;
  value: T;
  choices: Choice<T>[];
  onChange: (value: T) => void;
}) {
  return (
    <fieldset class="choices">
      <legend>{props.label}</legend>
      <div class="choices-row">
        {props.choices.map(({ value, label, hint }) => (
          <label key={value} title={hint}>
            <input
              type="radio"
              name={props.name}
              value={value}
              checked={value === props.value}
              onChange={() => props.onChange(value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
