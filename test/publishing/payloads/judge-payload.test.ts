import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeRealArchive, type RealArchive, realArchives } from "../../../lab/archives/real-archives.ts";
import { makeSite, rulesEntry } from "../../../lab/publisher/site.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { unpack } from "../../../src/installer/unpack/unpack.ts";
import { addRelease } from "../../../src/publishing/add.ts";
import { zstandard } from "../../../src/releases/patches/zstandard.ts";
import { UnsafePayload } from "../../../src/releases/payload/unsafe-payload.ts";

const files = { freeBytes: async () => 1024 ** 4, sync: async () => undefined };

describe("an archive of a real tool", () => {
  for (const archive of realArchives)
    it(`gets one verdict at add and on a device: ${archive.name}`, async (test) => {
      const site = await makeSite(test);
      const place = join(site.scratch, "made");
      const payload = makeRealArchive(place, archive);
      const release = join(site.scratch, "release");
      const failure = (error: unknown) => error;
      const device = await unpack(payload, release, files).then(() => null, failure);
      const addition = { file: payload, entry: rulesEntry(), keys: [] };
      const added = await addRelease(site.workspace, addition).catch(failure);
      if (archive.refusal === null) taken(archive, added, device);
      else {
        refused(archive.refusal, added, device);
        assert.deepEqual(readdirSync(site.workspace.payloads), []);
      }
      if (device === null) assert.deepEqual(picture(release), picture(asTarUnpacks(place, payload)));
      rmSync(place, { recursive: true });
    });
});

describe("the findings of add", () => {
  const name = "all that devices refuse and all that they leave out";
  const several = `mkfifo t/a t/b t/c t/d; ln -s /usr/bin/python3 t/python3; cp /bin/true t/su; chmod 4755 t/su; tar -czf x.tar.gz -C t .`;

  it("are all of an archive at once, each with the way out", async (test) => {
    const site = await makeSite(test);
    const file = makeRealArchive(join(site.scratch, "made"), { name, script: several, refusal: /./ });
    const addition = { file, entry: rulesEntry(), keys: [] };
    await assert.rejects(addRelease(site.workspace, addition), (error: unknown) => {
      assert.ok(error instanceof StewardError);
      assert.equal(error.message, `Devices would refuse ${file}. Nothing was changed.`);
      const found = (error.details.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`).sort();
      assert.equal(found.length, 3);
      for (const [at, message] of [
        /and 1 more .*is a fifo\. Leave it out/,
        /^"\.\/python3" .*absolute name\. Pack what it leads to \("\/usr\/bin\/python3"\)/,
        /^"\.\/su" .*setuid or setgid\)\. Remove the bit .* AmbientCapabilities=/,
      ].entries())
        assert.match(found[at] ?? "", message);
      return true;
    });
  });

  it("are about the bytes that are published where a patch is asked for, and of a bad archive", async (test) => {
    if ((await zstandard()) === null) return test.skip("this Node has no Zstandard with a dictionary");
    const site = await makeSite(test);
    const bad = makeRealArchive(join(site.scratch, "bad"), { name, script: several, refusal: /./ });
    const entry = rulesEntry();
    await assert.rejects(addRelease(site.workspace, { file: bad, entry, keys: [], patchFrom: 1 }), {
      message: `Devices would refuse ${bad}. Nothing was changed.`,
    });
    assert.deepEqual(readdirSync(site.workspace.payloads), []);
    const script = "chmod 600 t/base.conf; tar -czf x.tar.gz -C t .; head -c 512 /dev/zero >> x.tar.gz";
    const file = makeRealArchive(join(site.scratch, "good"), { name, script, refusal: null });
    const { remarks } = await addRelease(site.workspace, { file, entry, keys: [], patchFrom: 1 });
    assert.match(remarks?.join() ?? "", /^"base.conf": not for everyone to read here/);
  });
});

function taken({ remark = /^$/ }: RealArchive, added: unknown, device: unknown): void {
  assert.equal(device, null, `the device: ${device}`);
  assert.ok(!(added instanceof StewardError), `add: ${JSON.stringify(added)} ${added}`);
  assert.match((added as { remarks: readonly string[] }).remarks.join("\n"), remark);
}

/** With one sentence, which `add` follows by the way out. */
function refused(refusal: RegExp, added: unknown, device: unknown): void {
  assert.ok(device instanceof UnsafePayload, `the device: ${device}`);
  assert.match(device.message, refusal);
  assert.ok(added instanceof StewardError, `add took it: ${JSON.stringify(added)}`);
  assert.equal(added.code, "validation_failed");
  const findings =
    added.details.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`).join("\n") ?? "";
  assert.match(findings, refusal);
  assert.ok(findings.includes(device.why), `not the sentence of the device: ${findings}`);
}

function asTarUnpacks(place: string, payload: string): string {
  const directory = join(place, "as-tar-unpacks");
  mkdirSync(directory);
  execFileSync("tar", ["-xzf", payload, "-C", directory, "--no-same-owner"], { stdio: "ignore" });
  return directory;
}

/** Paths with their content, target or kind, files with the first path of the same file, and whether they are executable. */
function picture(tree: string): readonly string[] {
  const first = new Map<number, string>();
  const paths = readdirSync(tree, { recursive: true, encoding: "utf8" }).sort();
  return paths.map((path) => {
    const stats = lstatSync(join(tree, path));
    if (stats.isSymbolicLink()) return `${path} -> ${readlinkSync(join(tree, path))}`;
    if (!stats.isFile()) return `${path}/`;
    const twin = first.get(stats.ino) ?? path;
    first.set(stats.ino, twin);
    const content = readFileSync(join(tree, path)).toString("base64");
    return `${path} = ${twin} ${(stats.mode & 0o111) !== 0} ${stats.size} ${content}`;
  });
}
