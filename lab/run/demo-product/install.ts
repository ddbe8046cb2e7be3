import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface DemoPlaces {
  /** The directory of its engine. */
  readonly product: string;
  readonly hostFile: string;
  /** The origins of its page and of the console; without them it has no page. */
  readonly origins?: { readonly page: string; readonly signIn: string };
}

/** Puts the demonstration's product in its place and into the host file; what else a file that is there says stays. */
export function installDemoProduct({ product, hostFile, origins }: DemoPlaces): void {
  const engine = join(product, "engine");
  makeOwnDirectory(product);
  copyFileSync(join(import.meta.dirname, "engine"), engine);
  chmodSync(engine, 0o755);
  makeOwnDirectory(dirname(hostFile));
  const found = existsSync(hostFile) ? JSON.parse(readFileSync(hostFile, "utf8")) : decisions(engine);
  const own = origins && {
    sign_in: origins.signIn,
    pages: [
      { name: demoPage, title: { en: "Pump", de: "Pumpe" }, url: `${origins.page}/`, role: "readonly" },
    ],
    units: ["pump.service"],
    reports,
  };
  const text = JSON.stringify({ ...found, product: { name: "demo", ...own } }, null, 2);
  writeFileSync(hostFile, `${text}\n`, { mode: 0o600 });
}

/** The name of its page in the host file. */
export const demoPage = "pump";

/** Its button reports the need; the event is for `steward product event`. */
const reports = [
  {
    code: "pressure_low",
    level: "failing",
    text: { en: "The pressure is {bar} bar.", de: "Der Druck ist {bar} bar." },
    page: demoPage,
    ttl: "1m",
  },
  {
    code: "valve_stuck",
    level: "attention",
    text: { en: "Valve {valve} is stuck.", de: "Ventil {valve} klemmt." },
    message: true,
  },
];

/** No other user may write there, because the programs of the host file are run. */
function makeOwnDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
}

/** Quick enough to be watched: a release is good after three healthy looks, and undone after five seconds without. */
const patience = { successes: 3, interval: "500ms", within: "5s" };

function decisions(engine: string): object {
  return {
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
