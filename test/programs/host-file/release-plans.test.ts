import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { hostFile, ownDirectory, readAt, refused, write } from "../../../lab/host/judged-host-file.ts";
import { plainHostFile } from "../../../src/programs/host-file/host-file.ts";

function program(directory: string, name = "reload"): string {
  const path = write(join(directory, name), "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
}

async function updateOf(test: TestContext, content: object) {
  const path = hostFile(test, content);
  return (await readAt(path)).update;
}

describe("how releases are put to work, in the host file", asRoot, () => {
  it("is said in full for rules and for binaries", async (test) => {
    const paths = ["reload", "check", "healthy"].map((name) => program(ownDirectory(test), name));
    const [reload, check, healthy] = paths;
    const http = [
      { url: "http://127.0.0.1:9000/health", status: 204 },
      { url: "http://[::1]:9000/version", version_member: "version" },
    ];
    const command = [healthy, "--quick"];
    const health = { http, command, successes: 3, interval: "500ms", within: "1m" };
    const rules = { activate: [reload, "{release}"], self_test: [check, "{release}/rules"], health };
    const binary = { unit: "pump.service", self_test: ["{release}/bin/pump", "--version"] };
    const { apply } = await updateOf(test, { product: "pump-7", update: { rules, binary } });
    assert.deepEqual(apply.rules, {
      ...{ unit: null, activate: rules.activate, selfTest: rules.self_test },
      health: {
        http: [
          { url: "http://127.0.0.1:9000/health", status: 204, versionMember: null },
          { url: "http://[::1]:9000/version", status: 200, versionMember: "version" },
        ],
        ...{ command, successes: 3, intervalSeconds: 0.5, withinSeconds: 60 },
      },
    });
    assert.deepEqual(apply.binary, {
      ...{ unit: "pump.service", activate: null, selfTest: binary.self_test },
      health: { http: [], command: null, successes: 6, intervalSeconds: 5, withinSeconds: 300 },
    });
  });

  it("may be nothing for rules that the product reads on its own, where something knows its health", async (test) => {
    const health = { http: [{ url: "http://127.0.0.1:9000/" }] };
    const { apply } = await updateOf(test, { product: "pump-7", update: { rules: { health } } });
    assert.deepEqual([apply.rules?.unit, apply.rules?.activate], [null, null]);
  });

  it("is said as docs/host-file.md shows it", async (test) => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/host-file.md"), "utf8");
    const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block);
    const shown = blocks.find((block) => block.includes('"self_test"')) ?? "";
    const { apply, channels } = await updateOf(test, JSON.parse(shown));
    const units = [apply.rules?.unit, apply.binary?.unit, channels];
    assert.deepEqual(units, ["pump.service", "pump.service", ["stable"]]);
  });

  it("is built in for Steward itself, with and without a host file", async (test) => {
    const { apply } = await updateOf(test, { update: {} });
    assert.equal(apply.binary?.unit, "steward.service");
    assert.deepEqual(apply.binary.selfTest, ["{release}/lib/steward/steward", "--version"]);
    const asked = apply.binary.health.http.map(({ url, versionMember }) => `${url} ${versionMember}`);
    const own = "http://127.0.0.1:8470/api";
    assert.deepEqual(asked, [`${own}/version version`, `${own}/health/ready null`]);
    assert.deepEqual(plainHostFile().update.apply, apply);
  });

  it("is the host file's for Steward itself where it says something else", async (test) => {
    const binary = { unit: "steward-edge.service" };
    const { apply } = await updateOf(test, { product: "steward", update: { binary } });
    assert.deepEqual([apply.binary?.unit, apply.binary?.health.http], ["steward-edge.service", []]);
  });
});

describe("the health check of releases", asRoot, () => {
  for (const health of [
    { successes: 1, interval: "100ms", within: "100ms" },
    { successes: 60, interval: "1m", within: "60m" },
    { successes: 100, interval: "1s", within: "3600s" },
    { successes: 6, interval: "5s", within: "30s" },
  ])
    it(`is taken at the bounds: ${JSON.stringify(health)}`, async (test) => {
      const rules = { unit: "pump.service", health };
      const { apply } = await updateOf(test, { product: "pump-7", update: { rules } });
      assert.equal(apply.rules?.health.successes, health.successes);
    });
});

describe("a program of the host file", asRoot, () => {
  const ofAnother = /\/update\/rules\/activate\/0 names .*reload, which must belong to root .*chown root/;
  const looseDirectory = new RegExp(`${tmpdir()}, which must belong to root`);

  /** Changes a path, and gives back the new one. */
  const put = (path: string, change: (path: string) => void): string => {
    change(path);
    return path;
  };
  const link = (to: string) => (path: string) => symlinkSync(to, path);
  const own =
    (change: (path: string) => void) =>
    (test: TestContext): string =>
      put(program(ownDirectory(test)), change);

  const rows: [name: string, make: (test: TestContext) => string, words: RegExp][] = [
    ["that another user owns, for it runs as root", own((path) => chownSync(path, 65_534, 0)), ofAnother],
    ["that others can write", own((path) => chmodSync(path, 0o775)), /writable by no other user/],
    ["in a directory that others can write", () => program(scratchDirectory()), looseDirectory],
    [
      "behind a link that others can put elsewhere, wherever it leads now",
      () => put(join(scratchDirectory(), "reload"), link("/bin/true")),
      looseDirectory,
    ],
    [
      "behind a directory that is such a link",
      (test) => {
        const bin = put(join(scratchDirectory(), "bin"), link("/usr/bin"));
        return join(put(join(ownDirectory(test), "bin"), link(bin)), "true");
      },
      looseDirectory,
    ],
    ["whose links go in a ring", (test) => put(join(ownDirectory(test), "a"), link("a")), /too many links/],
    ["that is not there", (test) => join(ownDirectory(test), "reload"), /reload, which does not exist/],
    ["that is a directory", ownDirectory, /must be a regular file/],
    ["that may not be run", own((path) => chmodSync(path, 0o644)), /is not executable/],
  ];
  for (const [name, make, words] of rows)
    it(`${name}, is refused`, async (test) => {
      const update = { rules: { unit: "pump.service", activate: [make(test)] } };
      await refused(hostFile(test, { product: "pump-7", update }), words);
    });

  it("behind links of root's is taken, as /bin/true is", async (test) => {
    const directory = ownDirectory(test);
    mkdirSync(join(directory, "one"));
    program(join(directory, "one"), "real");
    symlinkSync("../one/real", join(directory, "one/reload"));
    symlinkSync("one", join(directory, "two"));
    const activate = [join(directory, "two/reload")];
    const rules = { unit: "pump.service", activate, self_test: ["/bin/true"] };
    const { apply } = await updateOf(test, { product: "pump-7", update: { rules } });
    assert.equal(apply.rules?.activate?.[0], join(directory, "two/reload"));
  });

  it("of a trial may belong to the user who runs it", async () => {
    const directory = scratchDirectory();
    const path = program(directory);
    const update = { rules: { unit: "pump.service", activate: [path] } };
    const file = write(join(directory, "steward.json"), { product: "pump-7", update });
    for (const one of [directory, path, file]) chownSync(one, 1_234, 0);
    assert.equal((await readAt(file, 1_234)).update.apply.rules?.activate?.[0], path);
    chownSync(path, 65_534, 0);
    await refused(file, /reload, which must belong to root, or to the user who runs this/, 1_234);
  });
});
