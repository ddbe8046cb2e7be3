import assert from "node:assert/strict";
import { readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it, type TestContext } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { endOfSuite, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { type LivedInState, makeLivedInState } from "../../../lab/state/damaged-state.ts";
import { onDisk } from "../../../lab/state/state-directory.ts";
import { counterKind } from "../../../lab/state/store-counter.ts";
import { documentNames } from "../../../src/contract/document-names.ts";
import { createStateTools } from "../../../src/store/documents/inspection.ts";
import { Register } from "../../../src/store/documents/register.ts";
import { counterOn, inFormat } from "../fixture.ts";

/** The secrets of documents, which an inspection must not show: hashes, sealed secrets, keys. */
const secretForms =
  /\$argon2id\$[^"]+|v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]+|(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

const file = endOfSuite();
let state: LivedInState;
before(async () => {
  state = await makeLivedInState(file);
});

describe("steward state show", () => {
  for (const name of documentNames)
    it(`${name}: shows the document and masks every hash, sealed secret and key in it`, async (test) => {
      const directory = await state.copy(test);
      const text = await readFile(join(directory, `${name}.json`), "utf8");
      const secrets = text.match(secretForms) ?? [];
      if (["users", "tokens", "sessions", "attempts"].includes(name)) assert.ok(secrets.length > 0, name);
      const { code, stdout } = await runSteward(["state", "show", name, "--state", directory]);
      assert.equal(code, 0);
      for (const secret of secrets) assert.ok(!stdout.includes(secret), `${name} shows a secret`);
      assert.doesNotMatch(stdout, secretForms);
    });
});

const text = (counter: unknown, version = "1.0.0", internal: object = {}) =>
  inFormat(version, { counter }, internal);

describe("the list of the documents", () => {
  const nothing = { findings: [], kept: [], versions: 0, good_copy_at: null };
  for (const [name, content, condition, is_newer, format, detail] of [
    ["present", text(7), "ok", false, "1.0.0", /^$/],
    ["absent", null, "absent", false, null, /^$/],
    ["empty", "", "damaged", false, null, /^counter\.json: .*JSON/],
    ["newer", text(7, "9.0.0"), "damaged", true, null, /^counter\.json was written by a newer release/],
  ] as const)
    it(`says of one that is ${name} what it is, from when, and how large`, async (test) => {
      const directory = await temporaryDirectory(test);
      const path = join(directory, "counter.json");
      if (content !== null) await writeFile(path, content);
      const [entry] = await createStateTools(directory, [counterKind]).list();
      assert.ok(entry && detail.test(entry.detail), entry?.detail);
      const stats = content === null ? null : await stat(path);
      const file = { size_bytes: stats?.size ?? null, modified_at: stats?.mtime.toISOString() ?? null };
      const expected = { name: "counter", condition, is_newer, format, detail, ...nothing, ...file };
      assert.deepEqual({ ...entry, detail }, expected);
    });
});

describe("what a document can be restored from", () => {
  const files = {
    "counter.json": text(1),
    "counter.good.json": text(2),
    "counter.version-000003-20261119T080000Z.json": text(3),
    "counter.version-000004-20261121T080000Z.json": text(4),
    "counter.format-0.9.0.json": text(9, "0.9.0"),
    "counter.bad-000001-20261118T080000Z.json": "{",
    "counter.bad-000002-20261118T090000Z.json": text(5),
  };
  const written = new Date("2026-11-22T12:00:00.000Z");

  async function placed(test: TestContext, all: Record<string, string> = files) {
    const directory = await temporaryDirectory(test);
    for (const [name, content] of Object.entries(all)) {
      await writeFile(join(directory, name), content);
      await utimes(join(directory, name), written, written);
    }
    return { directory, tools: createStateTools(directory, [counterKind]) };
  }

  it("is listed with all that is known of it: the good copy, versions, former formats, and what could not be used", async (test) => {
    const { tools } = await placed(test);
    const at = written.toISOString();
    const bytes = text(3).length;
    const copies = await tools.copies("counter");
    assert.match(copies.at(-1)?.detail ?? "", /^counter\.bad-000001-20261118T080000Z\.json: /);
    assert.deepEqual(
      copies.map(({ from, what, number, at: time, size_bytes, condition, format }) =>
        [from.replace("counter.", ""), what, number, time, size_bytes, condition, format].join(" "),
      ),
      [
        `good good copy  ${at} ${bytes} ok 1.0.0`,
        `version-000004-20261121T080000Z.json version 4 2026-11-21T08:00:00.000Z ${bytes} ok 1.0.0`,
        `version-000003-20261119T080000Z.json version 3 2026-11-19T08:00:00.000Z ${bytes} ok 1.0.0`,
        `format-0.9.0.json former format  ${at} ${bytes} ok 0.9.0`,
        `bad-000002-20261118T090000Z.json could not be used  2026-11-18T09:00:00.000Z ${bytes} ok 1.0.0`,
        "bad-000001-20261118T080000Z.json could not be used  2026-11-18T08:00:00.000Z 1 damaged ",
      ],
    );
  });

  it("is nothing where nothing is kept, and no other document's", async (test) => {
    const { tools } = await placed(test, { "counters.good.json": text(1) });
    assert.deepEqual(await tools.copies("counter"), []);
    for (const work of [tools.copies, tools.show, tools.restore, tools.reset])
      await assert.rejects(work("lamp"), { code: "not_found", message: /"lamp"; there are counter\.$/ });
  });

  it("is chosen by its name, its number or the time at which it was in force", async (test) => {
    const { tools } = await placed(test);
    const bad = "counter.bad-000001-20261118T080000Z.json";
    for (const [choice, counter] of [
      [undefined, 1],
      [{}, 1],
      [{ from: "good" }, 2],
      [{ at: "3" }, 3],
      [{ at: "4" }, 4],
      [{ at: "2026-11-19T08:00:00Z" }, 3],
      [{ at: "2026-11-21T07:59:59.999Z" }, 3],
      [{ at: "2026-11-21T08:00:00Z" }, 4],
      [{ at: "2027-01-01" }, 4],
      [{ from: "counter.format-0.9.0.json" }, 9],
      [{ from: "counter.bad-000002-20261118T090000Z.json" }, 5],
      [{ from: "counter.version-000003-20261119T080000Z.json" }, 3],
    ] as const)
      assert.deepEqual(await tools.show("counter", choice), { counter });
    for (const [choice, code, message] of [
      [{ at: "5" }, "not_found", /kept under the number 5\. See/],
      [{ at: "2026-11-19T07:59:59Z" }, "not_found", /kept from 2026-11-19T07:59:59Z or before\. See/],
      [{ at: "1234567890" }, "validation_failed", /not by "1234567890"/],
      [{ at: "noon" }, "validation_failed", /not by "noon"/],
      [
        { from: "counter.json" },
        "not_found",
        /; there are: good, .*version-000003.*, .*format-0\.9\.0.*, .*bad-/,
      ],
      [{ from: bad }, "state_damaged", /^counter\.bad-000001-\S+ cannot be used: (?!counter)/],
    ] as const)
      await assert.rejects(tools.show("counter", choice), { code, message });
  });

  it("is put in the document's place, which is kept; the good copy unless another is chosen", async (test) => {
    const { directory, tools } = await placed(test);
    const restored = await tools.restore("counter");
    assert.equal(await counterOn(directory), 2);
    assert.deepEqual([restored.condition, restored.format, restored.kept.length], ["ok", "1.0.0", 3]);
    await tools.restore("counter", { at: "3" });
    assert.equal(await counterOn(directory), 3);
    const reset = await tools.reset("counter");
    assert.deepEqual(await onDisk(directory, "counter.json"), JSON.parse(text(0)));
    assert.deepEqual([reset.kept.length, reset.versions, reset.good_copy_at], [3, 2, written.toISOString()]);
  });

  it("keeps that it has been in a newer form, and needs no file that it replaces", async (test) => {
    const ahead = text(2, "1.0.0", { newest: "1.2.0" });
    const { directory, tools } = await placed(test, { "counter.good.json": ahead });
    const { kept } = await tools.restore("counter");
    assert.deepEqual(kept, []);
    assert.deepEqual(await onDisk(directory, "counter.json"), JSON.parse(ahead));
    const absent = await placed(test, { "counter.json": text(1) });
    const refused = { code: "not_found", message: "counter.good.json is absent." };
    await assert.rejects(absent.tools.restore("counter"), refused);
    assert.equal(await counterOn(absent.directory), 1);
  });

  it("says what was found at a start of this document alone", async (test) => {
    const { directory, tools } = await placed(test);
    const register = await Register.open(directory, []);
    const found = { damage: "unreadable", replacement: "good_copy", isLoss: true } as const;
    await register.add("counter", { ...found, detail: "of the counter" });
    await register.add("users", { ...found, detail: "of the users" });
    const [entry] = await tools.list();
    assert.deepEqual(entry?.findings, ["of the counter"]);
    assert.deepEqual([entry?.kept.length, entry?.versions, entry?.format], [2, 2, "1.0.0"]);
    assert.equal(entry?.good_copy_at, written.toISOString());
  });

  it("is shown without a secret, however deep and in lists", async (test) => {
    const open = { token_count: 3, sealed: null, secret: { inner: "i" } };
    const list = (refresh_key: string) => [{ refresh_key, name: "n" }, "plain", 7];
    const stored = { ...open, password_hash: "h", tokens: ["t"], hashes: [1, "h"], list: list("k") };
    const { directory } = await placed(test, { "counter.json": inFormat("1.0.0", stored) });
    const [hidden, kind] = ["(hidden)", { ...counterKind, schema: { type: "object" } }];
    const shown = { ...open, password_hash: hidden, tokens: hidden, hashes: hidden, list: list(hidden) };
    assert.deepEqual(await createStateTools(directory, [kind]).show("counter"), shown);
  });
});
