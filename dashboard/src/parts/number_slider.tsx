import "./parts.css";
import { useState } from "preact/hooks";

export interface Scale {
  label: string;
  /** Where the slider stops. Any other number between least and most may be typed. */
  steps: number[];
  least: number;
  most: number;
  whole?: boolean;
  text: (value: number) => string;
  /** Reads what was typed as a number; gives NaN if it is none. */
  read: (text: string) => number;
}

export const onScale = ({ least, most, whole }: Scale, value: number) =>
  value >= least && value <= most && (!whole || Number.isInteger(value));

/** Thousands may be written with commas or spaces. */
export const readNumber = (text: string) => (text.trim() ? Number(text.replace(/[,\s]/g, "")) : NaN);

/** The step next to a value. */
function position(steps: number[], value: number): number {
  const distance = (step: number) => Math.abs(Math.log(step / value));
  return steps.reduce((best, step, i) => (distance(step) < distance(steps[best]!) ? i : best), 0);
}

/** A number to type, and a slider for those who would rather try. */
export function NumberSlider(props: { id: string; scale: Scale; value: number; onChange: (value: number) => void }) {
  const { id, scale, value, onChange } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const wrong = typed !== null && !onScale(scale, scale.read(typed));
  const type = (text: string) => {
    setTyped(text);
    if (onScale(scale, scale.read(text))) onChange(scale.read(text));
  };
  return (
    <div class="slider">
      <label for={id}>{scale.label}</label>
      <input
        id={id}
        class="typed"
        type="text"
        inputMode="decimal"
        autocomplete="off"
        value={typed ?? scale.text(value)}
        aria-invalid={wrong}
        aria-describedby={wrong ? `${id}-wrong` : undefined}
        onInput={(event) => type(event.currentTarget.value)}
        onBlur={() => wrong || setTyped(null)}
      />
      <input
        type="range"
        min={0}
        max={scale.steps.length - 1}
        step={1}
        value={position(scale.steps, value)}
        aria-label={`${scale.label}, slider`}
        aria-valuetext={scale.text(value)}
        onInput={(event) => {
          setTyped(null);
          onChange(scale.steps[Number(event.currentTarget.value)]!);
        }}
      />
      {wrong && (
        <p class="hint warned" id={`${id}-wrong`} role="alert">
          Expected a {scale.whole ? "whole " : ""}number from {scale.text(scale.least)} to {scale.text(scale.most)}.
        </p>
      )}
    </div>
  );
}
