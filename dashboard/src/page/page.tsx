import "./fonts.css";
import "./page.css";
import { connection } from "../state/connection";
import { ClusterScreen } from "../screens/cluster/cluster_screen";
import { CompareScreen } from "../screens/compare/compare_screen";
import { CreateScreen } from "../screens/create/create_screen";
import { EmbedScreen } from "../screens/metric/embed_screen";
import { MetricScreen } from "../screens/metric/metric_screen";
import { MetricsScreen } from "../screens/metrics/metrics_screen";
import { useObservable } from "../observable";
import { OperateScreen } from "../screens/operate/operate_screen";
import { Title } from "../parts/title";
import { PlannerScreen } from "../screens/planner/planner_screen";
import { PlaygroundScreen } from "../screens/playground/playground_screen";
import { ProtectionScreen } from "../screens/protection/protection_screen";
import { SignInScreen } from "../screens/sign_in/sign_in_screen";
import { href, useRoute } from "../state/route";
import { theme, toggleTheme } from "../state/theme";
import { locked, readerToken, signOut } from "../collector/token";

/** The screen that the address names. */
function Screen() {
  const { parts } = useRoute();
  const [first, name, more] = parts;
  if (first === undefined) return <MetricsScreen />;
  if (first === "metric" && name && more === "protection") return <ProtectionScreen key={name} name={name} />;
  if (first === "metric" && name && more === "operate") return <OperateScreen key={name} name={name} />;
  if (first === "metric" && name && !more) return <MetricScreen key={name} name={name} />;
  if (first === "compare") return <CompareScreen />;
  if (first === "planner") return <PlannerScreen />;
  if (first === "playground") return <PlaygroundScreen />;
  if (first === "new") return <CreateScreen />;
  if (first === "cluster") return <ClusterScreen />;
  return (
    <div class="narrow">
      <Title title="Not found">Nothing is here</Title>
      <p>
        The address names no screen of this page. <a href={href([])}>All metrics</a>
      </p>
    </div>
  );
}

/** The frame that is around every screen. */
export function Page() {
  const { parts } = useRoute();
  const { lost, since, demo, cluster } = useObservable(connection);
  const dark = useObservable(theme) === "dark";
  const closed = useObservable(locked);
  const signedIn = useObservable(readerToken) !== "" && !closed;
  if (parts[0] === "embed" && parts[1]) {
    return <main id="main">{closed ? <SignInScreen /> : <EmbedScreen key={parts[1]} name={parts[1]} />}</main>;
  }
  const link = (name: string, text: string) => (
    <a
      href={href(name ? [name] : [])}
      aria-current={
        (parts[0] ?? "") === name || (name === "" && ["metric", "compare", "new"].includes(parts[0] ?? ""))
          ? "page"
          : undefined
      }
    >
      {text}
    </a>
  );
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => (event.preventDefault(), document.querySelector<HTMLElement>("h1")?.focus())}
      >
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href={href([])}>
          futurerand
        </a>
        <nav aria-label="Main">
          {link("", "Metrics")}
          {link("planner", "Planner")}
          {demo && link("playground", "Playground")}
          {cluster && link("cluster", "Cluster")}
        </nav>
        <span class={`live ${lost ? "off" : "on"}`} role="status">
          {lost ? "Offline" : "Live"}
        </span>
        {signedIn && (
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        )}
        <button type="button" class="theme" onClick={toggleTheme} aria-label={dark ? "Light theme" : "Dark theme"}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5" />
            <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
          </svg>
        </button>
      </header>
      {lost && (
        <div class="gone" role="alert">
          <strong>The collector does not answer.</strong> What is shown is from{" "}
          {since?.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", second: "2-digit" })} or before. The
          page asks again by itself.
        </div>
      )}
      <main id="main">{closed ? <SignInScreen /> : <Screen />}</main>
      <footer class="foot">
        <span>Nothing on this page comes from, or goes to, another host.</span> <a href="./licences.txt">Licences</a>
      </footer>
    </>
  );
}
