import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startLab } from "../../lab/devices/updating-device.ts";
import { gzipped } from "../../lab/publisher/behaviours.ts";

/** Everything that a device asks for as gzip. */
const compressible = /\d\.(root|snapshot|targets|rules|binary)\.json$/;

describe("a server that compresses metadata", () => {
  for (const pinned of [false, true]) {
    it(`is read, and what was unpacked is kept and verified${pinned ? ", by its lengths and hashes too" : ""}`, async (test) => {
      const lab = await startLab(test, { pinned });
      lab.repository.publishRoot();
      lab.repository.addRelease({ kind: "rules", version: "1.1.0" });
      lab.repository.publish("targets", "rules");
      lab.server.behave(compressible, gzipped());
      const refreshed = await lab.refresh();
      const found = await refreshed.list("stable", "rules");
      assert.deepEqual(found.map(({ path }) => /\d+\.\d+\.\d+/.exec(path)?.[0]).sort(), ["1.0.0", "1.1.0"]);
      const { "root.json": root = "", "rules.json": rules = "" } = await lab.trusted();
      assert.equal(root, lab.repository.metadata("2.root").toString());
      assert.match(rules, /"1\.1\.0"/);
      const accepted = lab.server.requests.map(({ url, headers }) => [
        compressible.test(url ?? ""),
        headers["accept-encoding"],
      ]);
      assert.deepEqual(
        accepted.filter(([isCompressible, coding]) => coding !== (isCompressible ? "gzip" : "identity")),
        [],
      );
    });
  }
});
