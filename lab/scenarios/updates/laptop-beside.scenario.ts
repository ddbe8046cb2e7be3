import { readFileSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { serveFiles } from "../../machines/host/file-server.ts";
import { unpackArchive } from "../../machines/host/publisher.ts";
import type { HostSide, TieredScenario } from "../../machines/scenario.ts";
import { addUser, password } from "../people.ts";
import { binary, productFiles } from "./demo-product.ts";
import { outcomeOf, publishing, runs } from "./update-scenario.ts";

const laptopPort = 8_000;
const archive = "/root/demo.tar";
const options = ["--product", "demo", "--arch", "amd64", "--channel", "stable", "--for", "60d"];

/** A request as a browser on the laptop makes it: over the LAN, to a certificate that its person has accepted. */
interface LaptopRequest {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  /** JSON; absent: the archive. */
  readonly body?: unknown;
}

/** docs/updates/offline.md as a person follows it: no time server, no update server, only what a laptop beside it has. */
export const scenario: TieredScenario = {
  title: "a box without a network is updated from a file, from a browser, and by a static server on a laptop",
  tiers: { container: {} },
  timeoutSeconds: 600,
  repository: { port: 8_480, product: "demo" },
  files: productFiles({ successes: 3, interval: "1s", within: "30s" }),
  asks: {
    ...publishing(binary("1.0.0"), binary("1.1.0"), binary("1.2.0")),
    archive: ({ publisher }) => readFileSync(publisher.exportArchive(options), "base64"),
    browser: (host, value) => fromLaptop(host, value as LaptopRequest),
    "serve it": async ({ publisher }) => {
      await serveFiles(unpackArchive(publisher.exportArchive(options)), laptopPort);
    },
  },
  boots: [{ run: airGapped }],
};

/** Runs on the host, which is the laptop. */
function fromLaptop({ publisher }: HostSide, { method, path, token, body }: LaptopRequest): Promise<unknown> {
  const isArchive = body === undefined;
  const bytes = isArchive
    ? readFileSync(publisher.exportArchive(options))
    : Buffer.from(JSON.stringify(body));
  const headers = {
    "content-type": isArchive ? "application/octet-stream" : "application/json",
    "content-length": bytes.length,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const place = { host: "10.0.2.15", port: 8_443, rejectUnauthorized: false };
    const sent = httpsRequest({ ...place, method, path, headers, timeout: 30_000 }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode, body: JSON.parse(text) });
    });
    sent.once("error", reject);
    sent.end(bytes);
  });
}

async function airGapped(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  await addUser(guest);
  await fromFile(guest);
  await fromBrowser(guest);
  await fromServer(guest);
}

async function typed(guest: Guest, line: string, expected = 0): Promise<string> {
  const ran = await guest.run("sh", ["-c", line], { timeoutSeconds: 180 });
  guest.check(line, ran.status === expected, ran);
  return ran.stdout + ran.stderr;
}

/** `publish` makes a release, and the next export has it. */
async function published(guest: Guest, version: string): Promise<{ id: string; version: string }> {
  const { id } = (await guest.ask(`publish binary ${version}`)) as { id: string };
  return { id, version };
}

async function fromFile(guest: Guest): Promise<void> {
  const release = await published(guest, "1.0.0");
  writeFileSync(archive, Buffer.from(String(await guest.ask("archive")), "base64"));
  const before = await typed(guest, `steward update check --repo ${archive}`, 5);
  guest.check("without a root of trust it says what to type", /steward update trust install/.test(before));
  await typed(guest, `tar -xOf ${archive} metadata/1.root.json >/root/root.json`);
  await typed(guest, "steward update trust install /root/root.json");
  const { trust } = await guest.api("/api/system/time-sync");
  guest.check("no one has told it the time", trust === "none", trust);
  await typed(guest, `steward update check --repo ${archive}`);
  await typed(guest, "steward update apply --yes");
  await good(guest, release);
}

async function fromBrowser(guest: Guest): Promise<void> {
  const release = await published(guest, "1.1.0");
  await typed(guest, "steward tls enable");
  const ask = (request: LaptopRequest) =>
    guest.ask("browser", request) as Promise<{ status: number; body: Record<string, unknown> }>;
  const login = await ask({
    method: "POST",
    path: "/api/auth/login",
    body: { username: "root-admin", password },
  });
  guest.check("an administrator signs in from the laptop", login.status === 200, login);
  const token = String(login.body.access_token);
  const sent = await ask({ method: "PUT", path: "/api/updates/repository", token });
  guest.check("the archive is sent from the browser", sent.status === 202, sent);
  await guest.until("the release is staged", 60, async () => {
    const { available } = await guest.api("/api/updates");
    if (available.binary?.version === release.version && available.binary.staged) return true;
    throw new Error(JSON.stringify(available));
  });
  await guest.until("it is applied from the browser", 60, async () => {
    const answer = await ask({
      ...{ method: "POST", path: "/api/updates/apply", token },
      body: { kind: "binary" },
    });
    if (answer.status === 202) return true;
    throw new Error(JSON.stringify(answer));
  });
  await good(guest, release);
}

async function fromServer(guest: Guest): Promise<void> {
  const release = await published(guest, "1.2.0");
  await guest.ask("serve it");
  await typed(guest, `steward system set update.ota.server=http://10.0.2.2:${laptopPort}`);
  await typed(guest, "steward update check");
  await typed(guest, "steward update apply --yes");
  await good(guest, release);
}

async function good(guest: Guest, release: { id: string; version: string }): Promise<void> {
  const { outcome, seconds, detail } = await outcomeOf(guest, release.id, 120);
  guest.check(`${release.version} has passed its trial`, outcome === "good", detail);
  guest.figure("from its beginning to good", Math.round(seconds), "s");
  await runs(guest, "binary", release);
}
