import { count } from "../../words";

export function TranscriptCap({ rate }: { rate: number }) {
  return (
    <div class="field check">
      <input id="transcript_cap" name="transcript_cap" type="checkbox" defaultChecked aria-describedby="cap-hint" />
      <label for="transcript_cap">Cap</label>
      <p class="hint" id="cap-hint">
        Clips each device at a level that one honest device in {count(1 / rate)} exceeds in a period. The effect on an
        honest count is far below the noise, and the metric's page says how large it is. If more devices than chance
        allows exceed the cap, the figures get a warning.
      </p>
    </div>
  );
}
