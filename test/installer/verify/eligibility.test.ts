import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { offer } from "../../../lab/publisher/offers.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { AgentFile } from "../../../src/installer/files/agent-files.ts";
import { createAgentRepository } from "../../../src/installer/verify/agent-repository.ts";
import { type EligibilityFacts, judgeEligibility } from "../../../src/installer/verify/eligibility.ts";
import { emptyJournal } from "../../../src/releases/release-journal.ts";
import type { FoundTarget, Refreshed } from "../../../src/tuf/client.ts";

const limits = { maximumBytes: 1_000_000 };

/** A file of the agent, and how often it was read from its beginning. */
function agentFile(text: string): AgentFile & { reads: number } {
  const bytes = Buffer.from(text);
  const file = {
    ...{ path: "/state/file", sizeBytes: bytes.length, reads: 0 },
    read: (buffer: Uint8Array, position: number) => {
      if (position === 0) file.reads += 1;
      return bytes.copy(buffer, 0, position);
    },
  };
  return file;
}

/** Metadata of a role that names these targets; that it is signed is the client's affair. */
function roleOf(targets: readonly Pick<FoundTarget, "path" | "file">[]): string {
  const named = Object.fromEntries(targets.map(({ path, file }) => [path, file]));
  const common = { spec_version: "1.0.31", version: 1, expires: "2030-01-01T00:00:00Z" };
  return JSON.stringify({ signed: { _type: "targets", ...common, targets: named }, signatures: [] });
}

interface Signed {
  /** By the role's name. */
  readonly roles: Readonly<Record<string, string>>;
  readonly found: readonly FoundTarget[];
  readonly list?: Refreshed["list"];
  readonly find?: Refreshed["find"];
}

const idOf = ({ file }: FoundTarget): string => (file.hashes.sha512 ?? file.hashes.sha256 ?? "").slice(0, 32);

const facts: EligibilityFacts = {
  device: {
    ...{ product: "demo", arch: "x64", agentVersion: "0.1.0", channels: null },
    packaged: { rules: null, binary: null },
  },
  journal: emptyJournal,
  floors: {},
};

function judged(id: string, { roles, found, ...other }: Signed, change: Partial<EligibilityFacts> = {}) {
  const asked: string[] = [];
  const find: Refreshed["find"] = async (path) => {
    asked.push(path);
    return found.find((one) => one.path === path) ?? null;
  };
  const list: Refreshed["list"] = async (channel, kind) =>
    found.filter(({ path }) => path.startsWith(`${channel}/${kind}/`));
  const meta = Object.fromEntries(Object.keys(roles).map((role) => [`${role}.json`, { version: 1 }]));
  const refreshed = { snapshot: { meta }, find, list, ...other } as unknown as Refreshed;
  const metadata = new Map(Object.entries(roles).map(([role, text]) => [`${role}.json`, agentFile(text)]));
  const repository = createAgentRepository({ metadata, roots: new Map() });
  return { asked, verdict: judgeEligibility(id, { refreshed, repository }, { ...facts, ...change }) };
}

const good = offer({ version: "2.0.0", floor: "1.5.0" });
const signed: Signed = { roles: { rules: roleOf([good]) }, found: [good] };
const expired = new StewardError("update_metadata_expired", "It has expired.");

async function refusalWith(change: Partial<EligibilityFacts>): Promise<string | null> {
  return (await judged(idOf(good), signed, change).verdict).refusal;
}

describe("whether a requested release is for this device", () => {
  it("is decided by what is signed under its id, in whatever role", async () => {
    const { release, refusal, floors } = await judged(idOf(good), signed).verdict;
    assert.deepEqual([release.version, refusal, floors], ["2.0.0", null, { "rules/base": "1.5.0" }]);
    const sha256 = "0123456789abcdef".repeat(4);
    const other = { ...good, file: { ...good.file, hashes: { sha256 } } };
    const alone = judged(idOf(other), { roles: { a: "{", rules: roleOf([other]), z: "" }, found: [other] });
    assert.equal((await alone.verdict).refusal, null);
  });

  it("is no question where nothing is signed under it, or what is cannot be read or verified", async () => {
    const message = (id: string) => `The release ${id} is not signed.`;
    for (const [id, other] of [
      ["0".repeat(32), signed],
      [idOf(good), { ...signed, found: [] }],
      [idOf(good), { roles: {}, found: [good] }],
    ] as const)
      await assert.rejects(judged(id, other).verdict, {
        code: "update_not_acceptable",
        message: message(id),
      });
    const unreadable = offer({ version: "2" });
    const roles = { rules: roleOf([unreadable]) };
    await assert.rejects(judged(idOf(unreadable), { roles, found: [unreadable] }).verdict, {
      code: "update_not_acceptable",
      message: `The release ${idOf(unreadable)} cannot be used: "stable/rules/base-2.tar.gz" its version is not a semantic version.`,
    });
    for (const failure of [expired, new StewardError("storage_full", "The disk is full.")])
      await assert.rejects(
        judged(idOf(good), { ...signed, find: () => Promise.reject(failure) }).verdict,
        failure,
      );
  });

  it("is refused where the floors of its kind cannot be known, and not for the other kind's sake", async () => {
    const without = (bad: string): Refreshed["list"] => {
      return async (_, kind) => (kind === bad ? Promise.reject(expired) : [good]);
    };
    await assert.rejects(judged(idOf(good), { ...signed, list: without("rules") }).verdict, expired);
    assert.equal((await judged(idOf(good), { ...signed, list: without("binary") }).verdict).refusal, null);
  });

  it("is looked for at 16 paths, and at each once", async () => {
    const many = Array.from({ length: 17 }, (_, index) => ({ ...good, path: `stable/rules/r${index}` }));
    const { asked, verdict } = judged(idOf(good), { roles: { a: roleOf(many), b: roleOf(many) }, found: [] });
    await assert.rejects(verdict, { code: "update_not_acceptable" });
    assert.deepEqual(
      asked,
      many.slice(0, 16).map(({ path }) => path),
    );
  });

  it("goes by the channels that the host file allows", async () => {
    const belongs = "belongs to the channel stable, and the host file allows";
    for (const [channels, refusal] of [
      [["beta", "stable"], null],
      [["beta", "edge"], `${belongs} beta, edge`],
      [[], `${belongs} none`],
    ] as const)
      assert.equal(await refusalWith({ device: { ...facts.device, channels } }), refusal);
  });

  it("is yes where the same bytes are signed in one channel that is allowed, and floors rise by each entry under its id", async () => {
    const beta = (floor: string) => {
      const custom = { ...(good.file.custom as object), channel: "beta", floor };
      return { ...good, path: "beta/rules/base-2.0.0.tar.gz", file: { ...good.file, custom } };
    };
    const judgedIn = (found: readonly FoundTarget[], device: Partial<EligibilityFacts["device"]>) => {
      const both = { roles: { rules: roleOf(found) }, found };
      return judged(idOf(good), both, { device: { ...facts.device, ...device } }).verdict;
    };
    for (const isFirst of [true, false]) {
      const inOrder = (other: FoundTarget) => (isFirst ? [good, other] : [other, good]);
      const inBeta = inOrder(beta("1.5.0"));
      const { release, refusal, floors } = await judgedIn(inBeta, { channels: ["beta"] });
      assert.deepEqual([release.channel, refusal, floors], ["beta", null, { "rules/base": "1.5.0" }]);
      const none = await judgedIn(inBeta, { channels: ["edge"] });
      assert.deepEqual(none.floors, {});
      assert.match(none.refusal ?? "", /belongs to the channel/);
      const packaged = { rules: "3.0.0", binary: null };
      const notNewer = await judgedIn(inOrder(beta("1.7.0")), { packaged });
      assert.match(notNewer.refusal ?? "", /is not newer than 3\.0\.0/);
      assert.deepEqual(notNewer.floors, { "rules/base": "1.7.0" });
    }
  });

  const { slots } = emptyJournal;
  const journalWith = (rules: Partial<typeof slots.rules>) => {
    return { ...emptyJournal, slots: { ...slots, rules: { ...slots.rules, ...rules } } };
  };
  const newer = (than: string) => `is not newer than ${than}, which is installed`;
  for (const [applied, rules, refusal] of [
    [null, "1.0.0", null],
    ["1.0.0", null, null],
    [null, "2.0.0", "is installed"],
    ["3.0.0", null, newer("3.0.0")],
    ["3.0.0", "2.5.0", newer("3.0.0")],
    ["2.5.0", "3.0.0", newer("3.0.0")],
  ] as const)
    it(`goes by the newer of the packaged version ${rules} and the applied one ${applied}`, async () => {
      const good = applied === null ? [] : [{ id: "1".repeat(32), name: "base", version: applied }];
      const device = { ...facts.device, packaged: { rules, binary: null } };
      assert.equal(await refusalWith({ journal: journalWith({ good }), device }), refusal);
    });

  it("is no for what failed here or the listing does not have, and yes for what was held or deferred", async () => {
    const refusals = (["failed", "held", "deferred"] as const).map((why) => {
      const aside = { id: idOf(good), name: "base", version: "2.0.0", at: "", why, reason: "", until: null };
      return refusalWith({ journal: journalWith({ setAside: [aside] }) });
    });
    assert.deepEqual(await Promise.all(refusals), ["failed on this device before", null, null]);
    const { refusal } = await judged(idOf(good), { ...signed, list: async () => [] }).verdict;
    assert.equal(refusal, "is not in the repository");
  });
});

describe("the agent's files as a repository", () => {
  it("have metadata with and without their version, and roots by number, each read once", async () => {
    const [rules, timestamp, root] = ["rules", "timestamp", "root"].map(agentFile);
    assert.ok(rules && timestamp && root, "the files");
    const metadata = new Map([
      ["7%2erules.json", rules],
      ["timestamp.json", timestamp],
    ]);
    const repository = createAgentRepository({ metadata, roots: new Map([["12%2eroot.json", root]]) });
    const read = async (name: string) => {
      const file = await repository.readMetadata(name, limits);
      assert.ok(file !== "unchanged", name);
      return file && [Buffer.from(file.bytes).toString(), file.validators];
    };
    const validators = { etag: null, last_modified: null };
    for (const [name, expected] of [
      ["7.rules.json", "rules"],
      ["timestamp.json", "timestamp"],
      ["3.timestamp.json", "timestamp"],
      ["12.root.json", "root"],
      ["timestamp.json", "timestamp"],
    ] as const)
      assert.deepEqual(await read(name), [expected, validators]);
    assert.equal(timestamp.reads, 1);
    for (const name of "13.root.json a12.root.json 12.root.jsonx root.json rules.json 8.rules.json".split(
      " ",
    ))
      assert.equal(await read(name), null, name);
    assert.equal(await repository.readRole("targets", 10), null);
  });
});
