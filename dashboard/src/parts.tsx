// Small pieces that several views are made of.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

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
            <input type="radio" name={props.name} value={value} checked={value === props.value} onChange={() => props.onChange(value)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

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

/** The heading of a view; takes the focus when the view opens, so that a screen reader starts there. */
export function Title({ children, title }: { children: ComponentChildren; title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · futurerand`;
    heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [title]);
  return (
    <h1 tabIndex={-1} ref={heading}>
      {children}
    </h1>
  );
}

export const Waiting = ({ what }: { what: string }) => (
  <p class="waiting" role="status">
    <span class="pulse" aria-hidden="true" /> Loading {what}…
  </p>
);

export const Failed = ({ message }: { message: string }) => (
  <div class="notice bad" role="alert">
    <strong>That did not work.</strong> {message}
  </div>
);

export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function download(name: string, type: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
