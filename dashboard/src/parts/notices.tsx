// What a screen says while it has nothing to show.
import "./parts.css";
import { busyQuestions } from "../collector/busy";
import { connection } from "../state/connection";
import { useObservable } from "../observable";

/** While there is no answer the page asks again by itself, and says that rather than "Loading". */
export function Waiting({ what }: { what: string }) {
  const { lost } = useObservable(connection);
  const busy = useObservable(busyQuestions) > 0;
  return (
    <p class="waiting" role="status">
      <span class="pulse" aria-hidden="true" />{" "}
      {lost
        ? `Nothing to show yet: ${what} will appear when the collector answers.`
        : busy
          ? `The collector is busy. The page asks again for ${what}.`
          : `Loading ${what}…`}
    </p>
  );
}

export const Failed = ({ message }: { message: string }) => (
  <div class="notice bad" role="alert">
    <strong>That did not work.</strong> {message}
  </div>
);
