/** The console and the API behind the proxies that sites have, each of which compresses what it passes on. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../agents/agent-in-process.ts";
import { type Ending, endOfSuite, ofSuite, temporaryDirectory } from "../basics/ending.ts";
import { until } from "../basics/until.ts";
import { launchChromium } from "../console/launch.ts";
import { startNginx } from "./nginx-server.ts";
import { startApache, startHaproxy } from "./other-servers.ts";
import { rowsOf } from "./programs.ts";

const row = rowsOf("proxies");

const nginx = (url: string, version: string) =>
  `gzip on; gzip_types application/json text/plain; gzip_proxied any; gzip_min_length 20;
  location / { proxy_pass ${url}; proxy_http_version ${version}; proxy_set_header Connection ""; proxy_set_header Host $http_host; }`;
const apache = (url: string) => `SetOutputFilter DEFLATE
ProxyPreserveHost On
ProxyPass / ${url}/
`;

describe("a device behind a proxy", { timeout: 300_000 }, () => {
  const agent = ofSuite(() => startAgentInProcess());
  const ending = endOfSuite();
  let token = "";
  before(async () => {
    ({ token } = await agent.signedInAdmin());
  });

  type Start = (test: Ending, root: string) => Promise<string>;
  const nginxWith =
    (version: string): Start =>
    async (test, root) =>
      (await startNginx(test, root, nginx(agent.url, version))).url;
  const proxies: readonly (readonly [string, Start])[] = [
    ["nginx", nginxWith("1.1")],
    ["nginx with HTTP/1.0", nginxWith("1.0")],
    ["HAProxy", async (test) => (await startHaproxy(test, agent.port)).url],
    ["Apache", (test, root) => startApache(test, root, apache(agent.url))],
  ];
  for (const [name, start] of proxies)
    describe(name, () => {
      let url = "";
      before(async () => {
        url = await start(ending, await temporaryDirectory(ending));
      });
      const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
        fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...headers } });
      const lastBackup = async () =>
        (await agent.call("GET", "/api/status", { local: true })).json.last_backup_at;
      it("has its settings changed with the tag that it left", async () => {
        const read = await ask("/api/system");
        const tag = read.headers.get("etag") ?? assert.fail("no tag");
        assert.equal((await ask("/api/system", { "if-none-match": tag })).status, 304);
        const body = JSON.stringify({ device: { contact: name } });
        const change = { method: "PUT", body };
        const headers = { "if-match": tag, "content-type": "application/json; charset=utf8" };
        assert.equal((await ask("/api/system", headers, change)).status, 200);
        const again = { method: "PUT", body: JSON.stringify({ device: { contact: "late" } }) };
        assert.equal((await ask("/api/system", headers, again)).status, 412);
        const coding = read.headers.get("content-encoding");
        row(`${name}: If-Match`, `${tag}, ${coding ?? "not compressed"}: 200`);
      });

      it("shows its console", async (test) => {
        const browser = await launchChromium(false, []);
        test.after(() => browser.close());
        const page = await browser.newPage();
        await page.goto(url);
        await page.getByLabel("User name").waitFor();
      });

      it("counts a backup that its client has taken", async () => {
        const former = await lastBackup();
        const body = JSON.stringify({ passphrase: "seven wet horses at the old pier" });
        const json = { "content-type": "application/json" };
        const taken = await ask("/api/system/backup", json, { method: "POST", body });
        assert.equal(taken.status, 200);
        const bytes = Buffer.from(await taken.arrayBuffer());
        assert.match(bytes.toString("latin1", 0, 40), /^age-encryption\.org\/v1\n-> scrypt /);
        await until("it has moved", async () => (await lastBackup()) !== former);
      });
    });

  it("is up to HAProxy by its default check, and by the device's own", async (test) => {
    const { states } = await startHaproxy(test, agent.port);
    await until("both are checked", async () => (await states()).every((state) => /^(UP|DOWN)$/.test(state)));
    await until("checks have been made", () =>
      agent.call("GET", "/api/health").then(({ status }) => status === 200),
    );
    assert.deepEqual(await states(), ["UP", "UP"]);
    row("HAProxy's checks", "OPTIONS / and GET /api/health/ready: UP");
  });
});
