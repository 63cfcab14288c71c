// Who may create a metric, said before the form is filled in.
import { keepToken, readToken } from "../../collector/token";
import { useState } from "preact/hooks";

/** `possible`: the collector has an admin token. */
export function AdminToken({ possible }: { possible: boolean }) {
  const [kept, setKept] = useState(readToken);
  if (!possible) {
    return (
      <div class="notice bad" role="alert" data-testid="no-admin">
        <strong>Nobody can create a metric here.</strong> The collector was started without an admin token. Start it
        with <code>--admin-token-file</code>. You can still see below what a metric would give.
      </div>
    );
  }
  const other = () => (keepToken(""), setKept(""));
  return (
    <div class={`notice token ${kept ? "" : "missing"}`} data-testid="admin">
      {kept ? (
        <p>
          This tab has an admin token.{" "}
          <button type="button" class="quiet" onClick={other}>
            Use another token
          </button>
        </p>
      ) : (
        <p>
          <strong>Creating a metric needs the admin token.</strong> Without it you can fill in the form and see what a
          metric would give.
        </p>
      )}
      <div class="field" hidden={kept !== ""}>
        <label for="token">Admin token</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          defaultValue={kept}
          key={kept}
          autocomplete="off"
          aria-describedby="token-hint"
        />
        <p class="hint" id="token-hint">
          The token that the collector was started with. It stays in this tab until the tab closes.
        </p>
      </div>
    </div>
  );
}
