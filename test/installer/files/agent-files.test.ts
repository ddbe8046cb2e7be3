import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { makeScratch } from "../../../lab/publisher/site.ts";
import type { AsAgent } from "../../../src/host/host.ts";
import {
  type AgentFile,
  fileOfRole,
  openAgentFiles,
  readWhole,
} from "../../../src/installer/files/agent-files.ts";

const asSelf: AsAgent = async (work) => work();
const id = "0f".repeat(16);

/** A state directory with a staged payload, and these files of metadata. */
function stateWith(test: TestContext, metadata: readonly string[] = []): string {
  const state = join(makeScratch(test), "state");
  for (const name of ["staged", "metadata", "roots"])
    mkdirSync(join(state, "updates", name), { recursive: true });
  writeFileSync(join(state, "updates/staged", `${id}.tar.gz`), "payload");
  for (const name of metadata) writeFileSync(join(state, "updates/metadata", name), name);
  return state;
}

const openFiles = (): number => readdirSync("/proc/self/fd").length;

describe("the files that the agent has staged", () => {
  it("are those of its own names, and neither temporary nor other ones", async (test) => {
    const own = ["7%2erules.json", `${"a".repeat(250)}.json`, "rules.json"];
    const others = ["rules.json.tmp", ".rules.json", "a b.json", "rulesjson"];
    const state = stateWith(test, [...own, ...others]);
    const files = await openAgentFiles(state, id, asSelf);
    test.after(() => files.close());
    assert.deepEqual([...files.metadata.keys()].sort(), own);
    assert.deepEqual([files.payload.sizeBytes, files.roots.size], [7, 0]);
    const role = fileOfRole(files.metadata, "7.rules");
    assert.equal(role && Buffer.from(readWhole(role, 100)).toString(), "7%2erules.json");
    assert.equal(role?.path, join(state, "updates/metadata/7%2erules.json"));
    assert.equal(fileOfRole(files.metadata, "targets"), undefined);
  });

  it("may be 512 in one directory, and may lack one, and hold no descriptor once they are closed", async (test) => {
    const names = Array.from({ length: 512 }, (_, index) => `${index}.tmp`);
    const state = stateWith(test, names);
    rmSync(join(state, "updates/roots"), { recursive: true });
    const before = openFiles();
    const files = await openAgentFiles(state, id, asSelf);
    assert.deepEqual([files.metadata.size, files.roots.size], [0, 0]);
    assert.ok(openFiles() > before, "nothing is open");
    files.close();
    assert.equal(openFiles(), before);
    writeFileSync(join(state, "updates/metadata/one-more.tmp"), "");
    await assert.rejects(openAgentFiles(state, id, asSelf), /holds more than 512 files/);
    assert.equal(openFiles(), before, "a descriptor is left open");
  });
});

describe("a small file of the agent", () => {
  const file = (sizeBytes: number, content: string, most = 100): AgentFile => ({
    ...{ path: "/state/file", sizeBytes },
    read: (buffer, position) =>
      Buffer.from(content).copy(buffer, 0, position, Math.min(content.length, position + most)),
  });
  const read = (...given: Parameters<typeof file>) => Buffer.from(readWhole(file(...given), 6)).toString();

  it("is read whole, in however many pieces, up to its limit", () => {
    assert.deepEqual([read(6, "abcdef"), read(6, "abcdef", 1), read(0, "")], ["abcdef", "abcdef", ""]);
    assert.equal(read(6, "abc"), "abc", "it has become shorter");
  });

  it("is refused where it is too large, or grows meanwhile", () => {
    assert.throws(() => read(7, "abcdefg"), { code: "update_too_large" });
    assert.throws(() => read(5, "abcdef"), { code: "update_not_acceptable", message: /was changed/ });
  });
});
