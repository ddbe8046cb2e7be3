import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { UpdateReason } from "../../../src/contract/types.ts";
import { reasonOfError } from "../../../src/releases/outcome-reasons.ts";
import {
  emptyJournal,
  type GoodRelease,
  type ReleaseJournal,
  type SetAside,
} from "../../../src/releases/release-journal.ts";
import { applyOrder, kindsOf, requireRollbackByAgent } from "../../../src/updates/apply/apply-order.ts";
import { binary, good as conditions, rules } from "../example-releases.ts";

const server = "https://updates.example";
const stick = "file:///media/stick";

interface Given {
  readonly available?: { rules: typeof rules | null; binary: typeof binary | null };
  readonly setUp?: readonly string[];
  /** Rules are asked for their health where the binary answers. */
  readonly isOnePlace?: boolean;
  readonly staged?: readonly string[];
  readonly ota?: Partial<typeof conditions.ota>;
  readonly slots?: Partial<ReleaseJournal["slots"]>;
  readonly unreadable?: UpdateReason;
  readonly installed?: { rules: string | null; binary: string | null };
  readonly packaged?: { rules: string | null; binary: string | null };
  readonly floors?: Record<string, string>;
}

/** The parts of the room that an order is made from. */
function parts(given: Given) {
  const { available = { rules, binary }, setUp = ["rules", "binary"], staged = [] } = given;
  const slots = { ...emptyJournal.slots, ...given.slots };
  return {
    options: {
      settings: () => ({ ota: { ...conditions.ota, server, ...given.ota } }),
      allowedChannels: null,
      record: { read: () => ({ available, floors: given.floors ?? {} }) },
      installed: () => given.installed ?? { rules: null, binary: null },
      packaged: given.packaged ?? { rules: null, binary: null },
      installer: {
        isSetUp: (kind: string) => setUp.includes(kind),
        rulesNeedBinary: () => given.isOnePlace ?? false,
      },
      now: () => conditions.now,
      uptime: () => 2_000,
      bootId: "boot-1",
    },
    watch: { journal: () => ({ ...emptyJournal, slots }), unreadable: () => given.unreadable ?? null },
    downloads: { isStaged: (id: string) => staged.includes(id) },
  } as unknown as Parameters<typeof applyOrder>[0];
}

const order = (given: Given, kind: "rules" | "binary" | "all", repository?: string) =>
  applyOrder(parts(given), { kind, repository });

const aside = (version: string, why: SetAside["why"] = "failed"): SetAside => ({
  ...{ id: rules.id, name: "base", version, at: "2026-11-20T11:00:00.000Z", why, reason: "No.", until: null },
});
const withAside = (...setAside: SetAside[]) => ({ rules: { ...emptyJournal.slots.rules, setAside } });

it("all kinds are the rules and then the binary", () => {
  assert.deepEqual(kindsOf("all"), ["rules", "binary"]);
  assert.deepEqual(kindsOf("binary"), ["binary"]);
});

const cut = reasonOfError({ code: "state_damaged", message: "It is cut" });

describe("a request to apply", () => {
  const fromServer = { url: server, isServer: true };

  it("is for what is available, of the kinds that were asked for and are set up", () => {
    assert.deepEqual(order({}, "all"), { kinds: ["rules", "binary"], source: fromServer });
    assert.deepEqual(order({}, "binary"), { kinds: ["binary"], source: fromServer });
    assert.deepEqual(order({ available: { rules: null, binary } }, "all").kinds, ["binary"]);
    assert.deepEqual(order({ setUp: ["rules"] }, "all").kinds, ["rules"]);
  });

  it("is for the binary first where there is none, and rules are asked for their health at it", () => {
    const isOnePlace = true;
    assert.deepEqual(order({ isOnePlace }, "all").kinds, ["binary", "rules"]);
    assert.deepEqual(order({ isOnePlace }, "all", stick).kinds, ["binary", "rules"]);
    const installed = { rules: null, binary: "0.9.0" };
    assert.deepEqual(order({ isOnePlace, installed }, "all").kinds, ["rules", "binary"]);
  });

  it("is refused where none of them is set up, and where the one that is there is not", () => {
    const notSetUp = (members: RegExp) => ({ code: "update_not_set_up", message: members });
    assert.throws(() => order({ setUp: [] }, "all"), notSetUp(/add update\.rules or update\.binary\.$/));
    assert.throws(() => order({ setUp: ["rules"] }, "binary"), notSetUp(/add update\.binary\.$/));
    const available = { rules: null, binary };
    assert.throws(() => order({ setUp: ["rules"], available }, "all"), notSetUp(/add update\.binary\.$/));
  });

  it("is refused while the release journal cannot be read", () =>
    assert.throws(() => order({ unreadable: cut }, "all"), {
      code: "state_damaged",
      message: /nothing is applied\. It is cut\.$/,
    }));

  it("of a directory is for all that was asked for, whatever is known", () =>
    assert.deepEqual(order({ available: { rules: null, binary: null } }, "all", stick), {
      kinds: ["rules", "binary"],
      source: { url: stick, isServer: false },
    }));

  it("checks first, also what lies here, unless there is no server", () => {
    const staged = [rules.id];
    assert.deepEqual(order({ staged }, "rules").source, fromServer);
    assert.equal(order({ staged, ota: { server: "" } }, "rules").source, null);
    assert.deepEqual(order({ staged, ota: { server: "" } }, "rules", stick).source, {
      url: stick,
      isServer: false,
    });
    const isNotConfigured = { code: "update_not_configured" };
    assert.throws(() => order({ ota: { server: "" } }, "rules"), isNotConfigured);
    assert.throws(() => order({ staged: [binary.id], ota: { server: "" } }, "rules"), isNotConfigured);
  });

  it("is refused where settings block updates, with and without a server", () => {
    for (const at of [server, ""])
      assert.throws(
        () => order({ staged: [rules.id], ota: { server: at, verify_signature: false } }, "rules"),
        { code: "signature_verification_required" },
      );
  });

  const nothing = { rules: null, binary: null };
  it("is refused where nothing is there", () =>
    assert.throws(() => order({ available: nothing }, "all"), { code: "no_update_available" }));

  it("says that a release has failed here where that is why there is none", () => {
    const failed = { code: "update_not_acceptable", message: /^base 1\.2\.0 failed .*No\./ };
    const slots = withAside(aside("1.2.0"));
    assert.throws(() => order({ available: nothing, slots }, "all"), failed);
    assert.throws(() => order({ available: nothing, slots }, "rules"), failed);
    const installed = { rules: "1.1.0", binary: null };
    assert.throws(() => order({ available: nothing, slots, installed }, "rules"), failed);
    const newest = withAside(aside("1.1.0"), aside("1.2.0"));
    assert.throws(() => order({ available: nothing, slots: newest }, "rules"), failed);
  });

  it("does not say so of another kind, of what is installed since, nor of what is only held", () => {
    const none = { code: "no_update_available" };
    const slots = withAside(aside("1.2.0"));
    assert.throws(() => order({ available: nothing, slots }, "binary"), none);
    const installed = { rules: "1.2.0", binary: null };
    assert.throws(() => order({ available: nothing, slots, installed }, "rules"), none);
    const held = withAside(aside("1.2.0", "held"));
    assert.throws(() => order({ available: nothing, slots: held }, "rules"), none);
  });
});

describe("a request to go back", () => {
  const committed = { at: "2026-11-20T11:00:00.000Z", boot_id: "boot-1", uptime: 1_000 };
  const one: GoodRelease = { id: "1".repeat(32), name: "base", version: "1.0.0", committed };
  const two: GoodRelease = { id: "2".repeat(32), name: "base", version: "1.1.0", committed };
  const slotsOf = (...good: GoodRelease[]) => ({ rules: { ...emptyJournal.slots.rules, good } });
  const back = (given: Given, kind: "rules" | "binary" = "rules") =>
    requireRollbackByAgent(parts(given), kind);
  const none = { code: "nothing_to_roll_back" };

  it("is taken where there is a release before the present one, or a package below it", () => {
    back({ slots: slotsOf(one, two) });
    back({ slots: slotsOf(two), packaged: { rules: "0.9.0", binary: null } });
  });

  it("is refused where there is none, by the name of its kind", () => {
    assert.throws(() => back({}), { ...none, message: /earlier release of rules/ });
    assert.throws(() => back({}, "binary"), { ...none, message: /earlier release of binary/ });
    assert.throws(() => back({ packaged: { rules: "0.9.0", binary: null } }), none);
    assert.throws(() => back({ slots: slotsOf(two) }), none);
    assert.throws(() => back({ slots: slotsOf(two), packaged: { rules: null, binary: "0.9.0" } }), none);
  });

  it("is refused below the floor of that name, and taken at it", () => {
    const slots = slotsOf(one, two);
    const below = { code: "below_floor", message: /1\.0\.0.*1\.0\.1/s };
    assert.throws(() => back({ slots, floors: { "rules/base": "1.0.1" } }), below);
    back({ slots, floors: { "rules/base": "1.0.0" } });
    back({ slots, floors: { "rules/other": "9.0.0", "binary/base": "9.0.0" } });
    const packaged = { rules: "1.0.0", binary: null };
    assert.throws(() => back({ slots: slotsOf(two), packaged, floors: { "rules/base": "1.0.1" } }), below);
  });

  it("is refused where the kind is not set up, and while the journal cannot be read", () => {
    const slots = slotsOf(one, two);
    assert.throws(() => back({ slots, setUp: ["binary"] }), { code: "update_not_set_up" });
    assert.throws(() => back({ slots, unreadable: cut }), { code: "state_damaged" });
  });
});
