import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { reasonOfError } from "../../../src/releases/outcome-reasons.ts";
import {
  emptyJournal,
  type GoodRelease,
  type ReleaseJournal,
  type SetAside,
} from "../../../src/releases/release-journal.ts";
import { applyOrder, kindsOf, requireRollbackByAgent } from "../../../src/updates/apply/apply-order.ts";
import { binary, good as conditions, rules } from "../fixture.ts";

const server = "https://updates.example";
const stick = "file:///media/stick";
const nothing = { rules: null, binary: null };

/** An order is made from these. */
const usual = {
  available: { rules, binary } as { rules: typeof rules | null; binary: typeof binary | null },
  setUp: ["rules", "binary"],
  /** Rules are asked for their health where the binary answers. */
  isOnePlace: false,
  staged: [] as string[],
  ota: {} as Partial<typeof conditions.ota>,
  slots: {} as Partial<ReleaseJournal["slots"]>,
  isReadable: true,
  installed: nothing as { rules: string | null; binary: string | null },
  packaged: nothing as { rules: string | null; binary: string | null },
  floors: {} as Record<string, string>,
};
type Given = Partial<typeof usual>;

const cut = reasonOfError({ code: "state_damaged", message: "It is cut" });

/** The parts of the room that an order is made from. */
function parts(given: Given) {
  const { available, setUp, isOnePlace, staged, ota, slots, isReadable, installed, packaged, floors } = {
    ...usual,
    ...given,
  };
  const journal = { ...emptyJournal, slots: { ...emptyJournal.slots, ...slots } };
  return {
    options: {
      settings: () => ({ ota: { ...conditions.ota, server, ...ota } }),
      record: { read: () => ({ available, floors }) },
      installed: () => installed,
      ...{
        packaged,
        allowedChannels: null,
        now: () => conditions.now,
        uptime: () => 2_000,
        bootId: "boot-1",
      },
      installer: { isSetUp: (kind: string) => setUp.includes(kind), rulesNeedBinary: () => isOnePlace },
    },
    watch: { journal: () => journal, unreadable: () => (isReadable ? null : cut) },
    downloads: { isStaged: (id: string) => staged.includes(id) },
  } as unknown as Parameters<typeof applyOrder>[0];
}

type Kind = Parameters<typeof kindsOf>[0];
const order = (given: Given, kind: Kind, repository?: string) =>
  applyOrder(parts(given), { kind, repository });

it("all kinds are the rules and then the binary", () => {
  assert.deepEqual([kindsOf("all"), kindsOf("binary")], [["rules", "binary"], ["binary"]]);
});

describe("a request to apply", () => {
  const both = ["rules", "binary"];
  const binaryFirst = both.toReversed();
  const isOnePlace = true;
  const staged = [rules.id];
  const noServer = { ota: { server: "" } };
  const hasBinary = { isOnePlace, installed: { rules: null, binary: "0.9.0" } };
  const binaryOnly = { available: { rules: null, binary } };
  /** The kinds in their order, and what is checked first: the server, a directory, or nothing. */
  for (const [what, given, kind, kinds, url, from] of [
    ["is for what is available, with a check first", {}, "all", both, server],
    ["is for the kinds that were asked for", {}, "binary", ["binary"], server],
    ["is for the kinds that are there", binaryOnly, "all", ["binary"], server],
    ["is for the kinds that are set up", { setUp: ["rules"] }, "all", ["rules"], server],
    ["is for the binary first where rules need one", { isOnePlace }, "all", binaryFirst, server],
    ["is so of a directory too", { isOnePlace }, "all", binaryFirst, stick, stick],
    ["is not so where there is one", hasBinary, "all", both, server],
    ["of a directory is for all, whatever is known", { available: nothing }, "all", both, stick, stick],
    ["checks also what lies here", { staged }, "rules", ["rules"], server],
    ["checks nothing then without a server", { staged, ...noServer }, "rules", ["rules"], null],
    ["checks a directory then", { staged, ...noServer }, "rules", ["rules"], stick, stick],
  ] as [string, Given, Kind, string[], string | null, string?][])
    it(what, () => {
      const source = url === null ? null : { url, isServer: url === server };
      assert.deepEqual(order(given, kind, from), { kinds, source });
    });

  const aside = (version: string, why: SetAside["why"] = "failed"): SetAside => ({
    ...{
      id: rules.id,
      name: "base",
      version,
      at: "2026-11-20T11:00:00.000Z",
      why,
      reason: "No.",
      until: null,
    },
  });
  const failed = (...setAside: SetAside[]): Given => ({
    ...{ available: nothing, slots: { rules: { ...emptyJournal.slots.rules, setAside } } },
  });
  const one = failed(aside("1.2.0"));
  const two = failed(aside("1.1.0"), aside("1.2.0"));
  const over = (version: string) => ({ ...one, installed: { rules: version, binary: null } });
  const rulesSetUp = { setUp: ["rules"] };
  const otherSetUp = { ...rulesSetUp, ...binaryOnly };
  const unsigned = { staged, ota: { verify_signature: false } };
  const unsignedAlone = { staged, ota: { ...noServer.ota, ...unsigned.ota } };
  const otherStaged = { staged: [binary.id], ...noServer };
  const words: Record<string, RegExp> = {
    update_not_acceptable: /^base 1\.2\.0 failed .*No\./,
    state_damaged: /nothing is applied\. It is cut\.$/,
  };
  for (const [what, given, kind, code, message = words[code] ?? /./] of [
    ["where none is set up", { setUp: [] }, "all", "update_not_set_up", /add update\.rules or update\.b/],
    ["where that kind is not set up", rulesSetUp, "binary", "update_not_set_up", /add update\.binary\.$/],
    ["where what is there is not", otherSetUp, "all", "update_not_set_up", /add update\.binary\.$/],
    ["while the journal cannot be read", { isReadable: false }, "all", "state_damaged"],
    ["without a server", noServer, "rules", "update_not_configured"],
    ["without a server for the kind", otherStaged, "rules", "update_not_configured"],
    ["where settings block updates", unsigned, "rules", "signature_verification_required"],
    ["where they do without a server", unsignedAlone, "rules", "signature_verification_required"],
    ["where nothing is there", { available: nothing }, "all", "no_update_available"],
    ["where all that is there has failed", one, "all", "update_not_acceptable"],
    ["where all of the kind has failed", one, "rules", "update_not_acceptable"],
    ["where a newer one than the installed has failed", over("1.1.0"), "rules", "update_not_acceptable"],
    ["by the newest that has failed", two, "rules", "update_not_acceptable"],
    ["where another kind has failed", one, "binary", "no_update_available"],
    ["where what failed is installed since", over("1.2.0"), "rules", "no_update_available"],
    ["where one is only held", failed(aside("1.2.0", "held")), "rules", "no_update_available"],
  ] as [string, Given, Kind, string, RegExp?][])
    it(`is refused ${what}`, () => assert.throws(() => order(given, kind), { code, message }));
});

describe("a request to go back", () => {
  const committed = { at: "2026-11-20T11:00:00.000Z", boot_id: "boot-1", uptime: 1_000 };
  const one: GoodRelease = { id: "1".repeat(32), name: "base", version: "1.0.0", committed };
  const two: GoodRelease = { id: "2".repeat(32), name: "base", version: "1.1.0", committed };
  const having = (...good: GoodRelease[]): Given => ({
    slots: { rules: { ...emptyJournal.slots.rules, good } },
  });
  const from = (version: string, kind: "rules" | "binary" = "rules"): Given => ({
    ...{ packaged: { ...nothing, [kind]: version } },
  });
  const both = having(one, two);
  const aboveOld = { ...having(two), ...from("0.9.0") };
  const ofOthers = { ...both, floors: { "rules/other": "9.0.0", "binary/base": "9.0.0" } };
  const otherKind = { ...having(two), ...from("0.9.0", "binary") };
  const floors = { "rules/base": "1.0.1" };
  const packagedBelow = { ...having(two), ...from("1.0.0"), floors };
  const below = /1\.0\.0.*1\.0\.1/s;
  const none = "nothing_to_roll_back";
  for (const [what, given, code, message = /./, kind = "rules"] of [
    ["is taken where there is a release before the present one", both],
    ["is taken where there is a package below it", aboveOld],
    ["is taken at the floor", { ...both, floors: { "rules/base": "1.0.0" } }],
    ["is taken below the floor of others", ofOthers],
    ["is refused where there is none", {}, none, /earlier release of rules/],
    ["is refused by the name of its kind", {}, none, /earlier release of binary/, "binary"],
    ["is refused where only a package is there", from("0.9.0"), none],
    ["is refused with one release", having(two), none],
    ["is refused with another kind's package", otherKind, none],
    ["is refused below the floor", { ...both, floors }, "below_floor", below],
    ["is refused for a package below the floor", packagedBelow, "below_floor", below],
    ["is refused where the kind is not set up", { ...both, setUp: ["binary"] }, "update_not_set_up"],
    ["is refused while the journal cannot be read", { ...both, isReadable: false }, "state_damaged"],
  ] as [string, Given, string?, RegExp?, ("rules" | "binary")?][])
    it(what, () => {
      const back = () => requireRollbackByAgent(parts(given), kind);
      if (code === undefined) back();
      else assert.throws(back, { code, message });
    });
});
