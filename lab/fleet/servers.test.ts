/** `steward-publisher check` of a repository behind the web servers that publishers have. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it, type TestContext } from "node:test";
import { scratchDirectory } from "../basics/scratch.ts";
import { benchIn, release } from "../publisher/bench.ts";
import { runPublisher } from "../publisher/run-publisher.ts";
import { startNginx } from "./nginx-server.ts";
import { startApache, startCaddy, startPython } from "./other-servers.ts";
import { rowsOf } from "./programs.ts";

/** nginx with these directives. */
const nginx = (more: string) => async (test: TestContext, root: string) =>
  (await startNginx(test, root, more.replace("ROOT", root))).url;

const uncached = "location = /metadata/timestamp.json { add_header Cache-Control no-cache; }";

/** A server, how it is started, the exit code, and the codes of the findings. */
type Row = readonly [string, (test: TestContext, root: string) => Promise<string>, number, readonly string[]];

const rows: readonly Row[] = [
  ["nginx, as the page has it", nginx(""), 0, ["caching"]],
  ["nginx with no-cache for timestamp.json", nginx(uncached), 0, []],
  ["nginx with expires 12h", nginx("expires 12h;"), 0, ["caching"]],
  ["nginx without ranges", nginx(`${uncached} max_ranges 0;`), 0, ["no_ranges"]],
  [
    "nginx with a Content-Encoding by the name",
    nginx(`${uncached} location ~ \\.gz$ { add_header Content-Encoding gzip; }`),
    0,
    ["coding"],
  ],
  [
    "nginx with a page for missing files",
    nginx(`${uncached} location / { try_files $uri /index.html; }`),
    0,
    ["page_for_missing"],
  ],
  [
    "nginx with payloads elsewhere on it",
    nginx(`${uncached} rewrite ^/targets/(.*) /moved/$1 redirect; location /moved/ { alias ROOT/targets/; }`),
    0,
    ["redirect"],
  ],
  [
    "nginx that redirects to https",
    nginx("return 301 https://$host$request_uri;"),
    1,
    ["redirect", "update_server_refused"],
  ],
  ["Apache", startApache, 0, ["caching"]],
  [
    "Apache with AddEncoding for .gz, and no-cache",
    (test, root) => startApache(test, root, 'AddEncoding x-gzip .gz\nHeader set Cache-Control "no-cache"'),
    0,
    ["coding"],
  ],
  ["Caddy", startCaddy, 0, ["caching"]],
  ["python3 -m http.server", startPython, 0, ["caching", "no_ranges"]],
];

describe("steward-publisher check, with", () => {
  const bench = benchIn(scratchDirectory());
  const root = join(bench.site, "public");
  before(async () => {
    await bench.good("init", bench.site, "--product", "demo");
    await bench.good("add", bench.site, bench.payload, ...release);
    await bench.good("publish", bench.site);
    writeFileSync(join(root, "index.html"), "<!DOCTYPE html><title>Welcome</title>");
  });
  for (const [name, start, exit, codes] of rows)
    it(name, async (test) => {
      const url = await start(test, root);
      const { code, stdout, stderr } = await runPublisher(["check", url, bench.site, "-o", "json"]);
      const { findings }: { findings: { code: string }[] } = JSON.parse(stdout);
      const found = [...new Set(findings.map((one) => one.code))];
      assert.deepEqual(found.toSorted(), [...codes].toSorted(), stdout);
      assert.equal(code, exit, stderr);
      rowsOf("servers")(name, `exit ${code}: ${found.join(", ") || "nothing found"}`);
    });
});
