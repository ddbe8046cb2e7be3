import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { build } from "esbuild";
import { addPrivateKey } from "../../src/publishing/private-keys.ts";
import { renewRole } from "../../src/publishing/renew.ts";
import { withWorkspace } from "../../src/publishing/workspace.ts";
import { type Device, makeDevice } from "./clients.ts";
import { add, keysOf, makeScratch, makeSite, publishAll, type Site, surroundings, today } from "./site.ts";

/** More than any publish of these tests does. */
const mostOperations = 1_000;

interface Scenario {
  readonly name: string;
  prepare(site: Site): Promise<void>;
  /** What a device must find, and what it may find already. */
  readonly before: string | null;
  readonly after: string;
}

const old = "stable/rules/demo-rules-1.0.0.tar.gz";
const fresh = "stable/rules/demo-rules-1.1.0.tar.gz";

const scenarios: Scenario[] = [
  {
    name: "the first publish",
    prepare: async (site) => {
      await add(site);
    },
    before: null,
    after: old,
  },
  {
    name: "the publish of a release together with new keys of timestamp, snapshot and targets",
    prepare: async (site) => {
      await add(site);
      await publishAll(site);
      await add(site, { version: "1.1.0" });
      await replaceTopKeys(site);
    },
    before: old,
    after: fresh,
  },
];

for (const { name, prepare, before, after } of scenarios) {
  describe(`${name}, killed at any file operation`, { timeout: 300_000 }, () => {
    it("leaves a repository that devices read, and the next publish ends it", async (test) => {
      const site = await makeSite(test);
      await prepare(site);
      const program = await bundled(test);
      let operations = 0;
      for (let number = 1; number <= mostOperations; number += 1) {
        const directory = join(site.scratch, `killed-${number}`);
        cpSync(site.directory, directory, { recursive: true });
        const devices = await devicesFor(site, before !== null);
        const isKilled = await run(program, directory, number);
        await requireReadable(devices, directory, isKilled ? [before, after] : [after]);
        if (isKilled) await withWorkspace(directory, surroundings, (workspace) => publishAll({ workspace }));
        await requireReadable(devices, directory, [after]);
        assert.deepEqual(strayFiles(directory), [], `operation ${number}`);
        rmSync(directory, { recursive: true });
        operations = number;
        if (!isKilled) break;
      }
      assert.ok(operations > 20 && operations < mostOperations, `${operations} operations were tried`);
    });
  });
}

async function replaceTopKeys({ workspace }: Site): Promise<void> {
  const keys = await keysOf(workspace);
  const roles = ["timestamp", "snapshot", "targets"] as const;
  const changes = { add: {}, remove: {}, thresholds: {} };
  for (const role of roles) {
    const gone = keys.find(({ file }) => file.endsWith(`/${role}.pem`))?.id ?? "";
    Object.assign(changes.add, { [role]: [await addPrivateKey(workspace.keys, role)] });
    Object.assign(changes.remove, { [role]: [gone] });
  }
  await renewRole(workspace, "root", { keys: await keysOf(workspace), changes });
}

/** One file, so that a process starts in a tenth of a second. */
async function bundled(test: TestContext): Promise<string> {
  const outfile = join(makeScratch(test), "publish.mjs");
  const entry = join(import.meta.dirname, "publish-until-killed.ts");
  const banner = {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  };
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner,
  });
  return outfile;
}

/** True: it was killed. */
function run(program: string, directory: string, number: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, directory, String(number), today.toISOString()], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (code === 0 || signal === "SIGKILL") resolve(signal === "SIGKILL");
      else reject(new Error(`operation ${number}: it ended with ${code}`));
    });
  });
}

/** One that knows the first root alone, and one that has read what was there before. */
async function devicesFor({ directory }: { directory: string }, hasBefore: boolean) {
  const open = join(directory, "public");
  const file = join(open, "metadata", "1.root.json");
  const root = readFileSync(existsSync(file) ? file : join(directory, "draft", "root.json"));
  const devices = [await makeDevice(root)];
  if (hasBefore) {
    const device = await makeDevice(root);
    await newest(device, open);
    devices.push(device);
  }
  return devices;
}

async function requireReadable(
  devices: readonly Device[],
  directory: string,
  expected: readonly (string | null)[],
): Promise<void> {
  const open = join(directory, "public");
  if (!existsSync(join(open, "metadata", "timestamp.json"))) {
    assert.ok(expected.includes(null), "something is published");
    return;
  }
  for (const device of devices) {
    const found = await newest(device, open);
    assert.ok(expected.includes(found), `a device finds ${found}, and not ${expected.join(" or ")}`);
  }
}

async function newest(device: Device, open: string): Promise<string | null> {
  const targets = await (await device.refresh(open)).list("stable", "rules");
  for (const { path, file } of targets) {
    const hashed = path.replace(/[^/]+$/, (name) => `${file.hashes.sha512}.${name}`);
    assert.ok(existsSync(join(open, "targets", hashed)), `the payload of ${path} is there`);
  }
  const paths = targets.map(({ path }) => path);
  return paths.includes(fresh) ? fresh : paths.includes(old) ? old : null;
}

function strayFiles(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /(^|\/)\.[^/]+$/.test(name) && name !== ".lock");
}
