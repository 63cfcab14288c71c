import "./parts.css";

/** A slider over steps of any spacing; `text` says where it stands. */
export function Slider(props: {
  id: string;
  label: string;
  text: string;
  position: number;
  steps: number;
  onChange: (position: number) => void;
}) {
  return (
    <div class="slider">
      <label for={props.id}>{props.label}</label>
      <output for={props.id}>{props.text}</output>
      <input
        id={props.id}
        type="range"
        min={0}
        max={props.steps}
        step={1}
        value={props.position}
        aria-valuetext={props.text}
        onInput={(event) => props.onChange(Number(event.currentTarget.value))}
      />
    </div>
  );
}
