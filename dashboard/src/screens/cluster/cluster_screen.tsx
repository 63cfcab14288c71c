// The collectors of a cluster and the shards that they share: what `futurerand cluster status` prints.
import "./cluster_screen.css";
import { useState } from "preact/hooks";
import { getCluster, type Cluster } from "../../collector/api";
import { keepToken, readToken } from "../../collector/token";
import { Fact } from "../../parts/fact";
import { Failed, Waiting } from "../../parts/notices";
import { Title } from "../../parts/title";
import { useLoad } from "../../state/connection";
import { useTick } from "../../state/use_tick";
import { bytesInWords } from "./bytes";

export function ClusterScreen() {
  const [token, setToken] = useState(readToken());
  return (
    <div class="wide">
      <header class="screen-head">
        <Title title="Cluster">Cluster</Title>
        <p class="lead">
          Any collector accepts any report. Each device belongs to a shard, and each shard to one collector.
        </p>
      </header>
      {token ? <Status key={token} token={token} denied={() => setToken("")} /> : <AskToken given={setToken} />}
    </div>
  );
}

function AskToken({ given }: { given: (token: string) => void }) {
  const [failed, setFailed] = useState("");
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget as HTMLFormElement).get("token")).trim();
    try {
      await getCluster(token);
      keepToken(token);
      given(token);
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form class="cluster-token" onSubmit={submit}>
      <div class="field">
        <label for="cluster-token">Admin token</label>
        <input id="cluster-token" name="token" type="password" required autocomplete="off" />
        <p class="hint">Addresses of collectors are shown to operators only. The token stays in this tab.</p>
      </div>
      {failed && <Failed message={failed} />}
      <button type="submit" class="primary">
        Show the cluster
      </button>
    </form>
  );
}

function Status({ token, denied }: { token: string; denied: () => void }) {
  const { data: cluster, error } = useLoad("cluster", useTick(3000), (signal) => getCluster(token, signal));
  if (error)
    return (
      <>
        <Failed message={error} />
        <button type="button" onClick={denied}>
          Give another token
        </button>
      </>
    );
  if (!cluster) return <Waiting what="the cluster" />;
  const shards = cluster.databases.flatMap((database) => database.shards);
  const behind = Math.max(0, ...shards.map((shard) => shard.sums_lag));
  const replay = shards.reduce((sum, shard) => sum + shard.groups_to_replay, 0);
  return (
    <>
      {cluster.free_shards > 0 && (
        <p class="notice bad" role="status">
          {cluster.free_shards} of {cluster.shards} shards have no collector: what their devices send is answered 503,
          and sent again.
        </p>
      )}
      <dl class="facts">
        <Fact label="Shards">{cluster.shards}</Fact>
        <Fact label="Without a collector">{cluster.free_shards}</Fact>
        <Fact label="Metrics">{cluster.metrics}</Fact>
        <Fact label="Largest lag of estimates, in commits">{behind}</Fact>
        <Fact label="Commits that a start would replay">{replay}</Fact>
      </dl>
      <Collectors cluster={cluster} />
      <Databases cluster={cluster} />
      <Shards cluster={cluster} />
    </>
  );
}

const Collectors = ({ cluster }: { cluster: Cluster }) => (
  <section aria-label="Collectors">
    <h2>Collectors</h2>
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of collectors">
      <table>
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Shards</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {cluster.collectors.map((one) => (
            <tr key={one.address}>
              <th scope="row">{one.address}</th>
              <td>{one.shards}</td>
              <td>{!one.alive ? "gone" : one.draining ? "draining" : "alive"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

const Databases = ({ cluster }: { cluster: Cluster }) => (
  <section aria-label="Databases">
    <h2>Databases</h2>
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of databases">
      <table>
        <thead>
          <tr>
            <th scope="col">Number</th>
            <th scope="col">Log</th>
            <th scope="col">Checkpoints</th>
            <th scope="col">Sums</th>
            <th scope="col" class="words">
              Says
            </th>
          </tr>
        </thead>
        <tbody>
          {cluster.databases.map((one) => (
            <tr key={one.number} class={one.error ? "away" : undefined}>
              <th scope="row">{one.number}</th>
              <td>{bytesInWords(one.log_bytes)}</td>
              <td>{bytesInWords(one.checkpoint_bytes)}</td>
              <td>{bytesInWords(one.sums_bytes)}</td>
              <td class="words">{one.error ?? one.durability}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

const Shards = ({ cluster }: { cluster: Cluster }) => (
  <section aria-label="Shards">
    <h2>Shards</h2>
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of shards">
      <table class="shards">
        <thead>
          <tr>
            <th scope="col">Shard</th>
            <th scope="col">Collector</th>
            <th scope="col">Database</th>
            <th scope="col">Changed hands</th>
            <th scope="col">Groups</th>
            <th scope="col">To replay</th>
            <th scope="col">Estimates lag</th>
          </tr>
        </thead>
        <tbody>
          {cluster.databases
            .flatMap(({ number, shards }) => shards.map((shard) => ({ ...shard, database: number })))
            .sort((a, b) => a.shard - b.shard)
            .map((one) => (
              <tr key={one.shard} class={one.owner ? undefined : "away"}>
                <th scope="row">{one.shard}</th>
                <td>{one.owner || "nobody"}</td>
                <td>{one.database}</td>
                <td>{one.epoch}</td>
                <td>{one.groups}</td>
                <td>{one.groups_to_replay}</td>
                <td>{one.sums_lag}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  </section>
);
