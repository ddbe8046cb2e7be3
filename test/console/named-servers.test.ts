import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { namedServers } from "../../src/console/setup/use-probe.ts";

describe("the servers that the rows of the first run name", () => {
  it("are those with a name, without the spaces around it, and each once", () => {
    assert.deepEqual(namedServers([" a.example", "", "  ", "b.example", "a.example "]), [
      "a.example",
      "b.example",
    ]);
  });

  it("keep their NTS, also where another row has the same name without it", () => {
    const withNts = { host: " a.example", nts: true };
    assert.deepEqual(namedServers(["a.example", withNts]), [{ host: "a.example", nts: true }]);
    assert.deepEqual(namedServers([withNts, "a.example"]), [{ host: "a.example", nts: true }]);
  });
});
