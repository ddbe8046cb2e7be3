import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { idOf, open } from "../../../lab/installer/simulated-installer.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { pathsOf } from "../../../src/installer/files/release-directories.ts";

describe("a journal that cannot be read", () => {
  it("is made anew without a release whose label does not say what it is", async () => {
    for (const label of [
      "{ half",
      "null",
      '{"name":"pump"}',
      '{"name":"pump","version":1}',
      '{"name":7,"version":"1"}',
      null,
    ]) {
      const side = open();
      await side.apply("1.0.0");
      await side.apply("1.1.0");
      const { journal, label: labelOf } = pathsOf(side.directories);
      side.host.entries.set(journal, { text: "{ half" });
      if (label === null) side.host.entries.delete(labelOf(idOf("1.0.0")));
      else side.host.entries.set(labelOf(idOf("1.0.0")), { text: label });
      await side.guard();
      assert.deepEqual(side.slot().good, [{ id: idOf("1.1.0"), name: "pump", version: "1.1.0" }]);
    }
  });

  it("is left alone where the disk failed, and not the journal", async () => {
    const side = open();
    await side.apply("1.0.0");
    const { files } = side.host;
    const full = new StewardError("storage_unwritable", "The disk failed.");
    Object.assign(side.host, { files: { ...files, read: () => Promise.reject(full) } });
    await assert.rejects(side.guard(), full);
    Object.assign(side.host, { files });
    assert.equal(side.slot().good.length, 1);
  });

  it("is kept, and made anew of what the links say", async () => {
    const side = open();
    await side.apply("1.0.0");
    await side.apply("1.1.0");
    const path = pathsOf(side.directories).journal;
    side.host.entries.set(path, { text: "{ half" });
    await side.guard();
    assert.deepEqual(
      side.slot().good.map(({ version }) => version),
      ["1.0.0", "1.1.0"],
    );
    assert.deepEqual([side.at("current"), side.at("previous")], ["1.1.0", "1.0.0"]);
    assert.ok(side.host.entries.has(`${path}.bad`), "the bad one is gone");
  });
});
