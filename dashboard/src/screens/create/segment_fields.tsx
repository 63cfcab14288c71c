// A public attribute by which the figures can be told apart.
import type { Segments } from "../../collector/api";

/** Returns what the form says; null without segments. */
export function segmentsOf(text: (key: string) => string): Segments | null {
  if (text("segment_name") === "") return null;
  const values = text("segment_values").split("\n");
  return {
    name: text("segment_name"),
    values: values.map((value) => value.trim()).filter((value) => value !== ""),
  };
}

export function SegmentFields({ named }: { named: boolean }) {
  return (
    <details class="more-fields">
      <summary>Results by segment</summary>
      <p class="hint">
        A device may state a public attribute when it joins, such as its platform. Everyone can then read the figures of
        each segment. The attribute is not protected and costs no ε. Use a metric of labels for a private attribute.
      </p>
      <div class="fields">
        <div class="field">
          <label for="segment_name">Name of the attribute</label>
          <input id="segment_name" name="segment_name" maxLength={64} placeholder="platform" autocomplete="off" />
        </div>
        <div class="field">
          <label for="segment_values">Its values, one per line</label>
          <textarea
            id="segment_values"
            name="segment_values"
            rows={4}
            required={named}
            placeholder={"linux\nmac\nwindows\nother"}
            spellcheck={false}
            aria-describedby="segment_values-hint"
          />
          <p class="hint" id="segment_values-hint">
            At most 256. A tenth of the devices has about three times the error.
          </p>
        </div>
      </div>
    </details>
  );
}
