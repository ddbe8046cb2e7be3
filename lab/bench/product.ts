/** A page of the product behind nginx, whose requests Steward checks, against the same page without the check. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { heldPort } from "../basics/held-ports.ts";
import { unpacked } from "../host/debian-packages.ts";
import { agentOf, bareHttp, type Running, start } from "./contestant.ts";
import { type Surroundings, signIn } from "./footprint.ts";
import { requestsPerSecond } from "./requests.ts";
import { type Row, ratioRow, type Series } from "./row.ts";

const rounds = 15;
/** Rounds before these, which do not count: V8 optimises the check. */
const warmUps = 3;

const bound = "≥ 0.50";

/** A page, in the host file. */
export const pageAt = (url: string) => ({ name: "pump", title: { en: "Pump" }, url, role: "readonly" });

/** The headers of the page's own script, as far as its check goes by them. */
export const ofPage = { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" };

/** The page's cookie, for the session of this token. */
export async function enter({ port }: Running, token: string): Promise<string> {
  const from = `http://127.0.0.1:${port}/api/product/pages/pump`;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${from}/enter`, { method: "POST", headers });
  const { location } = (await answer.json()) as { location: string };
  const finished = await fetch(`${from}/finish${new URL(location).search}`, { redirect: "manual" });
  return finished.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
}

/** Requests per second of both, through one nginx, over connections that are kept. */
export async function productPage(at: Surroundings): Promise<Row> {
  const what = "a page behind nginx and its check / the same without the check";
  const program = nginx();
  if (program === undefined)
    return ratioRow(`${what}: not measured, there is no nginx`, "req/s", [[Number.NaN], [1]], bound);
  const port = await heldPort();
  const bare = await heldPort();
  const hostFile = join(at.directory, "page.json");
  const gate = join(at.directory, "gate");
  writeFileSync(gate, `${"g".repeat(48)}\n`, { mode: 0o600 });
  const page = { ...pageAt(`http://127.0.0.1:${port}/`), secret_file: gate };
  writeFileSync(hostFile, JSON.stringify({ product: { pages: [page] } }), { mode: 0o644 });
  const results: Series = [[], []];
  const running: { stop: () => Promise<void> }[] = [];
  try {
    const product = await start(bareHttp, at.directory, at.node);
    running.push(product);
    const agent = await start(agentOf(at.program, hostFile), at.directory, at.node);
    running.push(agent);
    running.push(await startNginx(program, at.directory, { port, bare, product, agent }));
    const headers = { ...ofPage, cookie: await enter(agent, await signIn(agent, at)) };
    const stranger = await statusAt(port);
    if (stranger !== 401) throw new Error(`the page answers a stranger with ${stranger}`);
    for (let round = 0; round < warmUps + rounds; round += 1) {
      const rates = [
        await requestsPerSecond(`http://127.0.0.1:${port}/`, headers),
        await requestsPerSecond(`http://127.0.0.1:${bare}/`, headers),
      ];
      if (round >= warmUps) for (const [side, rate] of rates.entries()) results[side]?.push(rate);
    }
  } finally {
    await Promise.all(running.map((one) => one.stop()));
  }
  return ratioRow(what, "req/s", results, bound);
}

/** Debian's; undefined: it cannot be had here. */
function nginx(): string | undefined {
  try {
    return join(unpacked("nginx", "usr/sbin/nginx", "nginx"), "usr/sbin/nginx");
  } catch {
    return undefined;
  }
}

interface Behind {
  /** The page's, and that of the same page without the check. */
  readonly port: number;
  readonly bare: number;
  readonly product: Running;
  readonly agent: Running;
}

/** On the first processor, as the contestants are. */
async function startNginx(program: string, directory: string, behind: Behind) {
  const place = join(directory, "nginx");
  mkdirSync(place);
  const file = join(place, "nginx.conf");
  writeFileSync(file, configuration(place, behind));
  const words = ["--cpu-list", "0", program, "-c", file, "-e", join(place, "error")];
  const child = spawn("taskset", words, { stdio: ["ignore", "ignore", "inherit"] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for (let tries = 0; (await statusAt(behind.bare)) === undefined; tries += 1) {
    if (child.exitCode !== null || tries === 5_000) throw new Error("nginx did not answer");
    await delay(1);
  }
  return {
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** The block of docs/product.md with the snippets that it includes, over plain HTTP, and the page without the check. */
function configuration(place: string, { port, bare, product, agent }: Behind): string {
  const read = (path: string) => readFileSync(join(import.meta.dirname, "../..", path), "utf8");
  for (const name of ["nginx-page.conf", "nginx-page-headers.conf"])
    writeFileSync(join(place, name), read(`scripts/proxies/${name}`));
  const [, block = ""] = /^```nginx\n(.*?)^```$/ms.exec(read("docs/product.md")) ?? [];
  const site = block
    .replace(/^ {2}listen .*$/m, `  listen 127.0.0.1:${port};`)
    .replaceAll(/^ {2}ssl_.*\n/gm, "")
    .replaceAll("/usr/share/steward", place)
    .replaceAll("127.0.0.1:8470", `127.0.0.1:${agent.port}`)
    .replaceAll("127.0.0.1:9000", `127.0.0.1:${product.port}`);
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `worker_processes 1;
daemon off;
pid ${place}/pid;
events {}
http {
access_log off;
keepalive_requests 1000000;
${folders.map((name) => `${name}_temp_path ${place}/${name};`).join("\n")}
${site}
server {
  listen 127.0.0.1:${bare};
  location / {
    proxy_pass http://127.0.0.1:${product.port};
  }
}
}
`;
}

/** Undefined: there is no server yet. */
function statusAt(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asking = request({ host: "127.0.0.1", port, agent: false }, (answer) =>
      answer.resume().once("end", () => resolve(answer.statusCode)),
    );
    asking.once("error", () => resolve(undefined)).end();
  });
}
