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
import { siteAt } from "../fixture.ts";

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
    "lead from the releases before it of its line to exactly its payload, by Debian's zstd and zlib too",
    async (test) => {
      const { site } = await patchedSite(test);
      const [one, other, ...rest] = await pathsOf(site).then((all) =>
        all.filter((path) => path.endsWith(".zst")),
      );
      const found = [one, other, rest];
      assert.deepEqual(found, [
        "stable/rules/demo-rules-1.2.0.from.1.0.0.zst",
        "stable/rules/demo-rules-1.2.0.from.1.1.0.zst",
        [],
      ]);
      const targets = await targetsOf(site);
      const placeOf = (path: string) => {
        const file = targets[path];
        assert.ok(file, path);
        return locatePayload(site.workspace, path, file);
      };
      const whole = await placeOf(targetPath(rulesEntry({ version: "1.2.0" })));
      for (const [path = "", version] of [
        [one, "1.0.0"],
        [other, "1.1.0"],
      ] as const) {
        const file = targets[path];
        const patch = file && readPatch({ path, file, role: "rules" });
        const formerPath = targetPath(rulesEntry({ version: version ?? "" }));
        assert.equal(patch?.from, targets[formerPath]?.hashes.sha512);
        assert.equal(patch?.to, targets[targetPath(rulesEntry({ version: "1.2.0" }))]?.hashes.sha512);
        assert.ok((file?.length ?? 0) < 2_000, `${file?.length} bytes`);
        const [before, made] = [join(site.scratch, "before.tar"), join(site.scratch, "made.tar")];
        writeFileSync(before, gunzipSync(readFileSync(await placeOf(formerPath))));
        assert.equal(patch?.fromBytes, readFileSync(before).length);
        execFileSync("zstd", [
          "-q",
          "-f",
          "-d",
          "--long=27",
          `--patch-from=${before}`,
          await placeOf(path),
          "-o",
          made,
        ]);
        assert.equal(patch?.toBytes, readFileSync(made).length);
        assert.ok(zlibOf(made).equals(readFileSync(whole)), "the whole payload");
      }
    },
  );

  patchIt(
    "are published as targets that tuf-js fetches, and that devices take for no releases",
    async (test) => {
      const { site } = await patchedSite(test, new Date());
      await publishAll(site);
      const root = join(site.workspace.metadata, "1.root.json");
      const path = "stable/rules/demo-rules-1.2.0.from.1.1.0.zst";
      const bytes = await downloadWithTufJs(test, site.workspace.public, { root, path });
      assert.equal(Buffer.from(bytes).subarray(0, 4).toString("hex"), "28b52ffd");
      const device = await makeDevice(readFileSync(root));
      const listed = await (await device.refresh(site.workspace.public, new Date())).list("stable", "rules");
      assert.equal(listed.filter((target) => readPatch(target) !== null).length, 2);
    },
  );

  patchIt("go when a newer release comes, with or without patches of its own", async (test) => {
    const { site } = await patchedSite(test);
    await publishAll(site);
    await addWith(site, { version: "1.3.0" }, 1);
    const patches = (await pathsOf(site)).filter((path) => path.endsWith(".zst"));
    assert.deepEqual(patches, ["stable/rules/demo-rules-1.3.0.from.1.2.0.zst"]);
    await addWith(site, { version: "1.4.0" });
    const found = (await pathsOf(site)).filter((path) => path.endsWith(".zst"));
    assert.deepEqual(found, []);
  });

  patchIt(
    "begin with no release of another line, none that is withdrawn, and none that is newer",
    async (test) => {
      const site = await makeSite(test);
      for (const entry of [
        { channel: "beta" },
        { name: "other-rules" },
        { version: "0.9.0" },
        { version: "1.0.0" },
      ])
        await addWith(site, entry);
      const selection = { kind: "rules", name: "demo-rules", version: "0.9.0", channel: "stable" } as const;
      await withdrawRelease(site.workspace, { selection, reason: "bad", keys: await keysOf(site.workspace) });
      const { patches } = await addWith(site, { version: "1.1.0" }, 9);
      const froms = patches?.patches.map(({ from }) => from);
      assert.deepEqual(froms, ["1.0.0"]);
    },
  );

  patchIt("are left out where they save nothing, or where a device could not unpack them", async (test) => {
    const site = await makeSite(test);
    await addWith(site, { version: "1.0.0" }, undefined, randomBytes(60_000).toString("base64"));
    const other = await addWith(site, { version: "1.1.0" }, 1, randomBytes(60_000).toString("base64"));
    assert.deepEqual(other.patches, { patches: [], skipped: [{ from: "1.0.0", why: "no_smaller" }] });
    // A payload of zeros would be refused as a bomb.
    const piece = () => `${"0".repeat(300)}${randomBytes(4).toString("hex")}`;
    const content = Array.from({ length: mostUnpackedBytes / 300 }, piece).join("");
    const large = await addWith(site, { version: "1.2.0" }, 1, content);
    assert.deepEqual(large.patches, { patches: [], skipped: [{ from: "1.1.0", why: "too_large" }] });
  });
});

/** As python3 packs, by the zlib of the system. */
function zlibOf(path: string): Buffer {
  const script = `import sys, zlib
packer = zlib.compressobj(6, zlib.DEFLATED, 31)
sys.stdout.buffer.write(packer.compress(open(sys.argv[1], "rb").read()) + packer.flush())`;
  return execFileSync("python3", ["-c", script, path], { maxBuffer: 1e8 });
}

async function patchedSite(test: TestContext, now?: Date) {
  const site = await siteAt(test, now);
  await addWith(site, { version: "0.9.0" });
  await addWith(site, { version: "1.0.0" });
  await addWith(site, { version: "1.1.0" }, 1);
  const added = await addWith(site, { version: "1.2.0" }, 2);
  return { site, added };
}
