import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StewardError } from "../../src/contract/errors.ts";
import type { Settings } from "../../src/contract/types.ts";
import { createSettingsGuard } from "../../src/updates/settings-guard.ts";

type Ota = Partial<Settings["update"]["ota"]>;

/** As the host looks at an address; its own tests say which ones are local. */
const isLocal = (server: string) => /127\.0\.0\.1|localhost|::1|169\.254/.test(server);
const unusable = new StewardError("update_root_unusable", "A key is all zero.");
const guard = ({ isEstablished = false, channels = null as string[] | null } = {}) =>
  createSettingsGuard(
    { isTrustEstablished: () => isEstablished, unusableRoot: async () => unusable },
    (server) => !isLocal(server),
    channels,
  );
const faultsOf = (ota: Ota, facts?: Parameters<typeof guard>[0]) =>
  guard(facts).faultsOf({ update: { ota } } as Parameters<ReturnType<typeof guard>["faultsOf"]>[0]);

describe("settings of updates", () => {
  const archive = "; `steward update check --repo FILE` takes an archive";
  for (const [server, end] of [
    ["http://127.0.0.1:8080", "update.allow_local_servers in the host file"],
    ["https://a.example/steward/metadata/timestamp.json", "not of a file: https://a.example/steward"],
    ["https://a.example/steward/1.root.json", "not of a file: https://a.example/steward"],
    ["http://a.example/metadata/timestamp.json/", "not of a file: http://a.example"],
    ["https://a.example/repository.tar", `not of a file${archive}`],
    ["file:///media/stick/updates.tar.gz", `not of a file${archive}`],
  ] as const)
    it(`do not take ${server} for a server`, () => {
      const [fault, ...others] = faultsOf({ server });
      assert.deepEqual([fault?.pointer, others], ["/update/ota/server", []]);
      assert.ok(fault?.detail.endsWith(end), fault?.detail);
    });

  it("take any other server, and what does not name one", () => {
    for (const ota of [{ server: "https://updates.example/" }, { server: "" }, { enabled: true }])
      assert.deepEqual(faultsOf(ota), []);
  });

  it("name a channel that the host file allows", () => {
    assert.match(faultsOf({ channel: "beta" }, { channels: ["a", "b"] })[0]?.detail ?? "", /allows: a, b$/);
    for (const channels of [["beta"], null])
      assert.deepEqual(faultsOf({ channel: "beta" }, { channels }), []);
    assert.deepEqual(faultsOf({}, { channels: ["a"] }), []);
  });

  it("let binaries come unasked only under an established trust", () => {
    const [fault] = faultsOf({ auto_update_binary: true });
    assert.equal(fault?.pointer, "/update/ota/auto_update_binary");
    assert.deepEqual(faultsOf({ auto_update_binary: true }, { isEstablished: true }), []);
    assert.deepEqual(faultsOf({ auto_update_binary: false }), []);
  });

  it("switch nothing on while the installed root cannot be used", async () => {
    const refusalOf = (ota: Ota) => guard().refusalOf({ update: { ota } } as never);
    const server = "https://updates.example";
    for (const ota of [
      { enabled: true },
      { server },
      { auto_update_rules: true },
      { auto_update_binary: true },
    ])
      assert.equal(await refusalOf(ota), unusable, JSON.stringify(ota));
    for (const ota of [{}, { enabled: false }, { server: "" }]) assert.equal(await refusalOf(ota), null);
  });
});
