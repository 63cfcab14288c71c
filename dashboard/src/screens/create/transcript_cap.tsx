/** Where the collector has it on by itself. Which protocol it would recommend is not known here, so one has to be named. */
export const mayHaveCap = (protocol: string) => protocol === "innovation";

export function TranscriptCap() {
  return (
    <div class="field check">
      <input id="transcript_cap" name="transcript_cap" type="checkbox" defaultChecked aria-describedby="cap-hint" />
      <label for="transcript_cap">Cap</label>
      <p class="hint" id="cap-hint">
        No device counts for more than hardly any honest one says of itself: that changes an honest count by at most
        about a hundredth of a percent of the devices at ε = 1, far less than the noise, and if more devices than chance
        allows say so much, the figures get a warning.
      </p>
    </div>
  );
}
