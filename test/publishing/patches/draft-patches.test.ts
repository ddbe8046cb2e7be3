import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  keysOf,
  makePayload,
  makeSite,
  publishAll,
  rulesEntry,
  type Site,
} from "../../../lab/publisher/site.ts";
import { addRelease, withdrawRelease } from "../../../src/publishing/add.ts";
import { locatePayload } from "../../../src/publishing/payload-store.ts";
import { type ReleaseEntry, targetPath } from "../../../src/publishing/release-entry.ts";
import { readState } from "../../../src/publishing/state.ts";
import { mostUnpackedBytes, readPatch } from "../../../src/releases/patches/patch.ts";
import { zstandard } from "../../../src/releases/patches/zstandard.ts";
import { downloadWithTufJs, makeDevice } from "../clients.ts";

const isAble = (await zstandard()) !== null;
const needsNode = isAble ? false : "this Node has no Zstandard with a dictionary";
/** A suite that is skipped is not counted in the summary; its tests are. */
const patchIt = (name: string, test: (test: TestContext) => Promise<void>) =>
  it(name, { skip: needsNode }, test);
const shared = randomBytes(150_000).toString("base64");

async function addWith(site: Site, entry: Partial<ReleaseEntry>, patchFrom?: number, content = shared) {
  const whole = rulesEntry(entry);
  const name = `${whole.name}-${whole.version}-${whole.channel}.tar.gz`;
  const file = makePayload(site, name, `${content}\n${whole.version}\n`);
  const keys = await keysOf(site.workspace);
  return addRelease(site.workspace, { file, entry: whole, keys, patchFrom });
}

async function targetsOf({ workspace }: Site) {
  return (await readState(workspace)).next.rules?.signed.targets ?? {};
}

const pathsOf = async (site: Site) => Object.keys(await targetsOf(site)).sort();
const patchPath = (versions: string) => `stable/rules/demo-rules-${versions}.zst`;
const patchesOf = async (site: Site) =>
  (await pathsOf(site)).flatMap((path) => /rules-([^/]+)\.zst$/.exec(path)?.[1] ?? []);

describe("a publisher whose Node cannot make patches", () => {
  it("is told which one can, and nothing is changed", { skip: isAble && "this Node can" }, async (test) => {
    const site = await makeSite(test);
    await assert.rejects(addWith(site, {}, 1), { code: "validation_failed", message: /22\.19 and 24\.6/ });
    assert.deepEqual([await pathsOf(site), readdirSync(site.workspace.payloads)], [[], []]);
    await addWith(site, {});
    assert.equal((await pathsOf(site)).length, 1);
  });
});

describe("patches to a release", () => {
  patchIt(
    "lead from the releases before it of its line to exactly its payload, by Debian's zstd and zlib too, as targets that tuf-js fetches, and that devices take for no releases",
    async (test) => {
      const site = await patchedSite(test, new Date());
      assert.deepEqual(await patchesOf(site), ["1.2.0.from.1.0.0", "1.2.0.from.1.1.0"]);
      const targets = await targetsOf(site);
      const placeOf = (path: string) => {
        const file = targets[path];
        assert.ok(file, path);
        return locatePayload(site.workspace, path, file);
      };
      const wholePath = targetPath(rulesEntry({ version: "1.2.0" }));
      const whole = readFileSync(await placeOf(wholePath));
      const [before, made] = [join(site.scratch, "before.tar"), join(site.scratch, "made.tar")];
      for (const version of ["1.0.0", "1.1.0"]) {
        const path = patchPath(`1.2.0.from.${version}`);
        const file = targets[path];
        const patch = file && readPatch({ path, file, role: "rules" });
        const formerPath = targetPath(rulesEntry({ version }));
        writeFileSync(before, gunzipSync(readFileSync(await placeOf(formerPath))));
        const options = ["-q", "-f", "-d", "--long=27", `--patch-from=${before}`];
        execFileSync("zstd", [...options, await placeOf(path), "-o", made]);
        assert.ok((file?.length ?? 0) < 2_000, `${file?.length} bytes`);
        assert.deepEqual(
          [patch?.from, patch?.to, patch?.fromBytes, patch?.toBytes],
          [
            ...[targets[formerPath]?.hashes.sha512, targets[wholePath]?.hashes.sha512],
            ...[readFileSync(before).length, readFileSync(made).length],
          ],
        );
        assert.ok(zlibOf(made).equals(whole), "the whole payload");
      }
      await publishAll(site);
      const root = join(site.workspace.metadata, "1.root.json");
      const path = patchPath("1.2.0.from.1.1.0");
      const bytes = await downloadWithTufJs(test, site.workspace.public, { root, path });
      assert.equal(Buffer.from(bytes).subarray(0, 4).toString("hex"), "28b52ffd");
      const device = makeDevice(readFileSync(root));
      const listed = await (await device.refresh(site.workspace.public, new Date())).list("stable", "rules");
      assert.equal(listed.filter((target) => readPatch(target) !== null).length, 2);
    },
  );

  patchIt("go when a newer release comes, with or without patches of its own", async (test) => {
    const site = await patchedSite(test);
    await publishAll(site);
    await addWith(site, { version: "1.3.0" }, 1);
    assert.deepEqual(await patchesOf(site), ["1.3.0.from.1.2.0"]);
    await addWith(site, { version: "1.4.0" });
    assert.deepEqual(await patchesOf(site), []);
  });

  patchIt(
    "begin with no release of another line, none that is withdrawn, and none that is newer",
    async (test) => {
      const site = await makeSite(test);
      const others = [
        { channel: "beta" },
        { name: "other-rules" },
        { version: "0.9.0" },
        { version: "1.0.0" },
      ];
      for (const entry of others) await addWith(site, entry);
      const selection = { kind: "rules", name: "demo-rules", version: "0.9.0", channel: "stable" } as const;
      await withdrawRelease(site.workspace, { selection, reason: "bad", keys: await keysOf(site.workspace) });
      const { patches } = await addWith(site, { version: "1.1.0" }, 9);
      const found = patches?.patches.map(({ from }) => from);
      assert.deepEqual(found, ["1.0.0"]);
    },
  );

  patchIt("are left out where they save nothing, or where a device could not unpack them", async (test) => {
    const site = await makeSite(test);
    const random = () => randomBytes(60_000).toString("base64");
    // A payload of zeros would be refused as a bomb.
    const piece = () => `${"0".repeat(300)}${randomBytes(4).toString("hex")}`;
    const large = Array.from({ length: mostUnpackedBytes / 300 }, piece).join("");
    await addWith(site, { version: "1.0.0" }, undefined, random());
    for (const [version, content, skipped] of [
      ["1.1.0", random(), { from: "1.0.0", why: "no_smaller" }],
      ["1.2.0", large, { from: "1.1.0", why: "too_large" }],
    ] as const)
      assert.deepEqual((await addWith(site, { version }, 1, content)).patches, {
        patches: [],
        skipped: [skipped],
      });
  });
});

/** As python3 packs, by the zlib of the system. */
function zlibOf(path: string): Buffer {
  const script = `import sys, zlib
packer = zlib.compressobj(6, zlib.DEFLATED, 31)
sys.stdout.buffer.write(packer.compress(open(sys.argv[1], "rb").read()) + packer.flush())`;
  return execFileSync("python3", ["-c", script, path], { maxBuffer: 1e8 });
}

/** 1.0.0 and 1.1.0 before 1.2.0, which has a patch from each. */
async function patchedSite(test: TestContext, now?: Date): Promise<Site> {
  const site = await makeSite(test, {}, now);
  for (const [version, patchFrom] of [["0.9.0"], ["1.0.0"], ["1.1.0", 1], ["1.2.0", 2]] as const)
    await addWith(site, { version }, patchFrom);
  return site;
}
