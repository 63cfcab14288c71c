// The kind of answer that a new metric takes, and what each kind needs.
import type { Value } from "../../collector/api";

export type Kind = "yes_no" | Value["kind"];

const kinds: { kind: Kind; label: string; hint: string }[] = [
  { kind: "yes_no", label: "Yes or no", hint: "Counts the devices that say yes." },
  { kind: "category", label: "One of several labels", hint: "Counts the devices of each label." },
  { kind: "number", label: "A number, for its mean", hint: "Estimates the mean over all devices." },
  { kind: "distribution", label: "A number, for its distribution", hint: "Estimates median, quartiles and shares." },
  { kind: "text", label: "A text", hint: "Estimates how many devices hold a text that you name later." },
];

/** Yes or no if there is no such kind. */
export const kindNamed = (name: string | null): Kind => kinds.find(({ kind }) => kind === name)?.kind ?? "yes_no";

/** Returns what the form says about the kind; null for yes or no. */
export function valueOf(text: (key: string) => string): Partial<Value> | null {
  const range = {
    low: Number(text("low")),
    high: Number(text("high")),
    ...(text("unit") && { unit: text("unit") }),
  };
  switch (text("kind") as Kind) {
    case "category": {
      const labels = text("labels").split("\n");
      return {
        kind: "category",
        labels: labels.map((label) => label.trim()).filter((label) => label !== ""),
        ...(text("other") && { other: text("other") }),
      };
    }
    case "number":
      return { kind: "number", ...range };
    case "distribution":
      return { kind: "distribution", ...range, buckets: Number(text("buckets")) };
    case "text":
      return { kind: "text", hash_bits: Number(text("hash_bits")) };
    default:
      return null;
  }
}

export function ValueFields({ kind }: { kind: Kind }) {
  return (
    <>
      <div class="field">
        <label for="kind">Kind of answer</label>
        <select id="kind" name="kind" aria-describedby="kind-hint">
          {kinds.map((each) => (
            <option key={each.kind} value={each.kind} selected={each.kind === kind}>
              {each.label}
            </option>
          ))}
        </select>
        <p class="hint" id="kind-hint">
          {kinds.find((each) => each.kind === kind)!.hint}
        </p>
      </div>
      {kind === "category" && <LabelFields />}
      {(kind === "number" || kind === "distribution") && (
        <div class="fields">
          <NumberField id="low" label="Lowest value" value="0" />
          <NumberField id="high" label="Highest value" value="100" />
          <div class="field">
            <label for="unit">Unit</label>
            <input id="unit" name="unit" maxLength={32} placeholder="ms" autocomplete="off" />
          </div>
          {kind === "distribution" && (
            <div class="field">
              <label for="buckets">Buckets</label>
              <select id="buckets" name="buckets">
                {[8, 16, 32, 64, 128, 256, 512, 1024].map((buckets) => (
                  <option key={buckets} selected={buckets === 32}>
                    {buckets}
                  </option>
                ))}
              </select>
            </div>
          )}
          <p class="hint">
            Devices clip values to this range. A narrower range means less noise
            {kind === "distribution" && ", and so do fewer buckets"}.
          </p>
        </div>
      )}
      {kind === "text" && (
        <div class="field">
          <label for="hash_bits">Bits of the hash</label>
          <input
            id="hash_bits"
            name="hash_bits"
            type="number"
            min={8}
            max={16}
            defaultValue="12"
            required
            aria-describedby="hash_bits-hint"
          />
          <p class="hint" id="hash_bits-hint">
            From 8 to 16. With more bits fewer texts look the same, and the collector needs more memory.
          </p>
        </div>
      )}
    </>
  );
}

const LabelFields = () => (
  <>
    <div class="field">
      <label for="labels">Labels, one per line</label>
      <textarea
        id="labels"
        name="labels"
        rows={5}
        required
        placeholder={"firefox\nchrome\nsafari"}
        spellcheck={false}
        aria-describedby="labels-hint"
      />
      <p class="hint" id="labels-hint">
        At least two. Everyone can read them. A device rejects a value that is none of them, unless there is a label for
        all others.
      </p>
    </div>
    <div class="field">
      <label for="other">Label for all others</label>
      <input id="other" name="other" placeholder="another" autocomplete="off" aria-describedby="other-hint" />
      <p class="hint" id="other-hint">
        Optional.
      </p>
    </div>
  </>
);

const NumberField = ({ id, label, value }: { id: string; label: string; value: string }) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input id={id} name={id} type="number" step="any" required defaultValue={value} />
  </div>
);
