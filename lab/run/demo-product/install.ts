import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Puts the demonstration's product in its place, and writes a host file for it; one that is there stays. */
export function installDemoProduct({ product, hostFile }: { product: string; hostFile: string }): void {
  const engine = join(product, "engine");
  makeOwnDirectory(product);
  copyFileSync(join(import.meta.dirname, "engine"), engine);
  chmodSync(engine, 0o755);
  makeOwnDirectory(dirname(hostFile));
  if (existsSync(hostFile)) return;
  writeFileSync(hostFile, `${JSON.stringify(decisions(engine), null, 2)}\n`, { mode: 0o600 });
}

/** No other user may write there, because the programs of the host file are run. */
function makeOwnDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

/** Quick enough to be watched: a release is good after three healthy looks, and undone after five seconds without. */
const patience = { successes: 3, interval: "500ms", within: "5s" };

function decisions(engine: string): object {
  return {
    product: "demo",
    update: {
      allow_local_servers: true,
      rules: {
        activate: [engine, "reload", "{release}"],
        health: { command: [engine, "healthy"], ...patience },
      },
      binary: {
        activate: [engine, "restart", "{release}"],
        health: { command: [engine, "running"], ...patience },
      },
    },
  };
}
