import { useState } from "preact/hooks";
import { mostCurves } from "../../estimates/labels";
import { keepInLink } from "../../state/route";

const mostOffered = 1000;
const keep = (texts: string[]) => keepInLink({ texts: texts.length > 0 ? texts.join("\n") : undefined });

/** Every device serves every text, so the reader may ask for any. */
export function TextChoice({ texts, candidates }: { texts: string[]; candidates: string[] }) {
  const [typed, setTyped] = useState("");
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    if (typed !== "" && !texts.includes(typed)) keep([...texts, typed]);
    setTyped("");
  };
  return (
    <form class="texts" onSubmit={add}>
      <div class="field">
        <label for="text">A text to look up</label>
        <div class="texts-row">
          <input
            id="text"
            value={typed}
            maxLength={64}
            required
            autocomplete="off"
            list="text-candidates"
            spellcheck={false}
            aria-describedby="text-hint"
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
          <datalist id="text-candidates">
            {candidates.slice(0, mostOffered).map((text) => (
              <option key={text} value={text} />
            ))}
          </datalist>
          <button type="submit" class="primary" disabled={texts.length >= mostCurves}>
            Look up
          </button>
        </div>
        <p class="hint" id="text-hint">
          The collector cannot list the texts that devices hold. It can estimate how many hold a text that you name,
          exactly as written. Up to {mostCurves} at once.
        </p>
      </div>
      {texts.length > 0 && (
        <ul class="texts-list" aria-label="Texts that are shown">
          {texts.map((text) => (
            <li key={text}>
              <button
                type="button"
                aria-label={`Remove ${text}`}
                onClick={() => keep(texts.filter((each) => each !== text))}
              >
                {text} <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
