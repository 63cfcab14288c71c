/** What the collector allows. Which protocol it would recommend is not known here, so one has to be named. */
export const mayHaveHeartbeats = (protocol: string, periods: number) =>
  !["", "innovation"].includes(protocol) && periods <= 16384;

export function Heartbeats() {
  return (
    <div class="field check">
      <input id="heartbeats" name="heartbeats" type="checkbox" aria-describedby="heartbeats-hint" />
      <label for="heartbeats">Heartbeats</label>
      <p class="hint" id="heartbeats-hint">
        Devices say in every period that they are still there, whatever their value, so that those active can be
        counted. That costs a line in each period without a report, and no ε.
      </p>
    </div>
  );
}
