import { useState } from "preact/hooks";
import { getMetrics } from "../../collector/api";
import { keepReaderToken, locked } from "../../collector/token";
import { Failed } from "../../parts/notices";
import { Title } from "../../parts/title";
import "./sign_in_screen.css";

/** What a reader sees of a collector whose reading is closed, until the token is right. */
export function SignInScreen() {
  const [failed, setFailed] = useState("");
  const signIn = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setFailed("");
    keepReaderToken(String(form.get("token") ?? "").trim());
    try {
      await getMetrics();
      locked.value = false;
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div class="narrow">
      <header class="screen-head">
        <Title title="Sign in">Sign in</Title>
        <p class="lead">You need a read token to see the estimates of this collector.</p>
      </header>
      <form class="sign-in" onSubmit={signIn}>
        <div class="field">
          <label for="token">Read token</label>
          <input id="token" name="token" type="password" required autocomplete="off" aria-describedby="token-hint" />
          <p class="hint" id="token-hint">
            The token stays in this tab until the tab closes. It is never part of an address.
          </p>
        </div>
        {failed && <Failed message={failed} />}
        <button type="submit" class="primary">
          Sign in
        </button>
      </form>
    </div>
  );
}
