import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { publisherCommand, runPublisher } from "../../lab/publisher/run-publisher.ts";
import { makeScratch } from "../../lab/publisher/site.ts";
import { mountPrivately, type PrivateMount } from "../../lab/state/private-mount.ts";

const diskMebibytes = 2;

/** `steward-publisher …` where the disk is small. */
function repo({ prefix }: PrivateMount, ...words: string[]) {
  // Node looks for the loader from where it is.
  const [program = "", ...rest] = [...prefix, `--wdns=${import.meta.dirname}`, ...publisherCommand, ...words];
  const { status, stderr } = spawnSync(program, rest, { encoding: "utf8" });
  return { code: status, stderr };
}

/** It only looks compressed: its size is all that counts. */
function payload(test: TestContext, bytes: number): string {
  const file = join(makeScratch(test), "rules.tar.gz");
  writeFileSync(file, Buffer.concat([Buffer.from([0x1f, 0x8b]), randomBytes(bytes)]));
  return file;
}

describe("a repository on a disk that is full", () => {
  it("refuses a payload that does not fit, keeps the published files, and goes on when there is space", async (test) => {
    const mount = await mountPrivately(test, diskMebibytes);
    if (typeof mount === "string") return test.skip(mount);
    const [site, seen] = [join(mount.directory, "site"), join(mount.seen, "site")];
    assert.equal(repo(mount, "init", site).code, 0);
    assert.equal(repo(mount, "publish", site).code, 0);
    const words = ["add", site, payload(test, 4 * 1024 ** 2), "--kind", "rules", "--name", "big"];
    const draftsBefore = readdirSync(join(seen, "draft"));
    const refused = repo(mount, ...words, "--release", "1.0.0");
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /The disk is full/);
    assert.deepEqual(readdirSync(join(seen, "draft")), draftsBefore);
    assert.deepEqual(readdirSync(join(seen, "draft", "payloads")), []);

    mount.run('dd if=/dev/zero of="$1/filler" bs=4096 2>/dev/null || true');
    const timestamp = readFileSync(join(seen, "public", "metadata", "timestamp.json"));
    const full = repo(mount, "renew", site);
    assert.equal(full.code, 1, full.stderr);
    assert.match(full.stderr, /The disk is full/);
    assert.deepEqual(readFileSync(join(seen, "public", "metadata", "timestamp.json")), timestamp);

    rmSync(join(mount.seen, "filler"));
    assert.equal(repo(mount, "renew", site).code, 0);
    const inspected = await runPublisher(["inspect", join(seen, "public"), "-o", "json"]);
    assert.equal(JSON.parse(inspected.stdout).published[1].version, 2);
  });
});
