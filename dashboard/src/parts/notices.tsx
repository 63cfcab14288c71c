// What a screen says while it has nothing to show.
import "./parts.css";

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
