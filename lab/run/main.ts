/**
 * `make run`: the built agent in the foreground with all its state under ./var, something to update there, and what to
 * do next. `--port 0` takes ports that are free, `--directory DIR` another place than ./var.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fingerprintGroups } from "../../src/terminal/fingerprint.ts";
import { heldPort } from "../basics/held-ports.ts";
import { demoPage, installDemoProduct } from "./demo-product/install.ts";
import { type Published, publishDemoRelease } from "./demo-product/publish.ts";

const { values: given } = parseArgs({
  options: { port: { type: "string", default: "8470" }, directory: { type: "string" } },
});
const root = join(import.meta.dirname, "../..");
/** Less than one on an idle machine; a busy one takes many times that, and an agent that ends says so itself. */
const startSeconds = 120;
const home = given.directory === undefined ? join(root, "var") : resolve(given.directory);
const program = join(root, "dist/main.js");
const places = {
  state: join(home, "state"),
  run: join(home, "run"),
  socket: join(home, "run/steward.sock"),
  productSocket: join(home, "run/product.sock"),
  /** The host file, which is root's on a device, in a folder of the run's own. */
  hostFile: join(home, "etc/steward.json"),
  /** The installer's directories for releases and for its trust. */
  releases: join(home, "releases"),
  trust: join(home, "trust"),
  initialSettings: join(home, "initial-settings.json"),
};

mkdirSync(home, { recursive: true });
const isAnyPort = given.port === "0";
const port = isAnyPort ? await heldPort() : Number(given.port);
const pagePort = isAnyPort ? await heldPort() : port + 1;
const origins = { page: `http://127.0.0.1:${pagePort}`, signIn: `http://127.0.0.1:${port}` };
installDemoProduct({ product: join(home, "product"), hostFile: places.hostFile, origins });
const updateRoot = join(home, "etc/update-root.json");
const published = await publishDemoRelease({ publisher: join(home, "publisher"), root: updateRoot });
writeInitialSettings(published);
writeCommand(join(home, "steward"), program, ofThisAgent());
writeCommand(join(home, "steward-publisher"), join(root, "dist-publisher/main.cjs"));
const agent = spawn(
  process.execPath,
  [
    program,
    ...["serve", "--state", places.state, "--run", places.run, "--listen", `127.0.0.1:${port}`],
    ...["--host-file", places.hostFile, "--releases", places.releases, "--trust", places.trust],
  ],
  {
    stdio: ["inherit", "inherit", "pipe"],
    env: { ...process.env, STEWARD_INITIAL_SETTINGS: places.initialSettings },
  },
);
const product = spawn(process.execPath, [join(root, "lab/run/demo-product/product.mjs")], {
  stdio: ["ignore", "ignore", "inherit"],
  env: {
    ...process.env,
    ...{ STEWARD: origins.signIn, WORD: places.productSocket, PAGE: demoPage, PORT: String(pagePort) },
  },
});
process.once("exit", () => product.kill());
agent.once("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => agent.kill(signal));
const address = await listeningAddress();
await trustClock();
process.stdout.write(await nextSteps());

/** Observe the clock, ask no time source; updates come from the publisher in the next folder. */
function writeInitialSettings({ server }: Published): void {
  const settings = JSON.parse(readFileSync(join(root, "lab/run/settings.json"), "utf8"));
  const text = `${JSON.stringify({ ...settings, update: { ota: { server } } }, null, 2)}\n`;
  writeFileSync(places.initialSettings, text);
}

/** Tells the command line where the socket and the state of this agent are. */
function ofThisAgent(): string {
  const { socket, productSocket, state, hostFile, releases, trust, initialSettings } = places;
  const named = { SOCKET: socket, STATE: state, HOST_FILE: hostFile, RELEASES: releases, TRUST: trust };
  const all = Object.entries({ ...named, PRODUCT_SOCKET: productSocket, INITIAL_SETTINGS: initialSettings });
  return all.map(([name, value]) => `STEWARD_${name}='${value}' `).join("");
}

/** A command that runs a program of this checkout. */
function writeCommand(path: string, file: string, environment = ""): void {
  writeFileSync(path, `#!/bin/sh\n${environment}exec node '${file}' "$@"\n`);
  chmodSync(path, 0o755);
}

/** The agent's address, once it listens; its log goes on to this terminal, and its end is this program's. */
async function listeningAddress(): Promise<string> {
  const found = new Promise<string>((resolve) => {
    let said = "";
    agent.stderr?.setEncoding("utf8").on("data", (text: string) => {
      process.stderr.write(text);
      said = (said + text).slice(-10_000);
      const [, url] = /"(http:\/\/127\.0\.0\.1:\d+)"/.exec(said) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  return Promise.race([
    found,
    delay(startSeconds * 1_000, undefined, { ref: false }).then(() =>
      Promise.reject(new Error(`the agent did not answer within ${startSeconds} s`)),
    ),
  ]);
}

/**
 * No time source is asked here, and codes and updates wait until the clock is trusted. The person who starts this
 * sees the clock of the very same machine; the agent notes it as set by hand, and sets nothing.
 */
async function trustClock(): Promise<void> {
  const { trust } = await ask("GET", "/api/system/time-sync");
  if (trust === "none") await ask("POST", "/api/system/time-sync/sync", { time: new Date().toISOString() });
}

async function nextSteps(): Promise<string> {
  const listening = `Steward listens on ${address} and ${places.socket}. Ctrl-C stops it.
The page of a demo product, behind its sign-in, is at ${origins.page}/.`;
  const { setup_required: isFirstRun } = await ask("GET", "/api/setup");
  const { trust } = (await ask("GET", "/api/updates")) as { trust?: { confirmed: boolean } };
  const isComparing = published.isTrusted && trust?.confirmed === false;
  const parts = [listening, isFirstRun ? firstSteps() : furtherSteps(), isComparing ? comparison() : ""];
  return `\n${parts.filter((part) => part !== "").join("\n\n")}\n\n`;
}

function firstSteps(): string {
  const token = readFileSync(join(places.run, "setup-token"), "utf8").trim();
  return `It has no administrator yet. Open this link in a browser to become the first one:

  ${address}/#setup=${token}

or type in another terminal: ./var/steward user add root-admin --role admin`;
}

function furtherSteps(): string {
  return `Open its console in a browser, or use its command line in another terminal:

  ${address}/
  ./var/steward user list`;
}

/** The fingerprint that a person compares before they confirm whose updates the device takes. */
function comparison(): string {
  return `An update is ready under Updates, signed by the publisher with this fingerprint:

${fingerprintGroups(published.fingerprint).trimEnd()}`;
}

/** The answer, over the socket of local root; without members where there is none. */
function ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const asking = request(
      { socketPath: places.socket, method, path, headers, agent: false },
      async (response) => {
        const text = (await response.setEncoding("utf8").toArray()).join("");
        resolve(response.statusCode === 200 ? JSON.parse(text) : {});
      },
    );
    asking.once("error", () => resolve({}));
    asking.end(body && JSON.stringify(body));
  });
}
