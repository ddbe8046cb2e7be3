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

/** The secrets of documents, which an inspection must not show: hashes, sealed secrets, keys. */
const secretForms =
  /\$argon2id\$[^"]+|v1\.[0-9a-f]{16}\.[A-Za-z0-9_-]+|(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

const file = endOfSuite();
let state: LivedInState;
before(async () => {
  state = await makeLivedInState(file);
});

describe("steward state show", () => {
  for (const name of documentNames) {
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
  }
});

describe("the list of the documents", () => {
  const inFormat = (version: string) =>
    JSON.stringify({ counter: 7, __internal__: { migrations: { version } } });
  for (const [name, content, ...expected] of [
    ["present", inFormat("1.0.0"), "ok", false, "1.0.0", /^$/],
    ["absent", null, "absent", false, null, /^$/],
    ["empty", "", "damaged", false, null, /^counter\.json: .*JSON/],
    ["newer", inFormat("9.0.0"), "damaged", true, null, /^counter\.json was written by a newer release/],
  ] as const)
    it(`says of one that is ${name} what it is, from when, and how large`, async (test) => {
      const directory = await temporaryDirectory(test);
      const path = join(directory, "counter.json");
      if (content !== null) await writeFile(path, content);
      const [entry] = await createStateTools(directory, [counterKind]).list();
      const [condition, isNewer, format, detail] = expected;
      assert.ok(entry && detail.test(entry.detail), entry?.detail);
      const stats = content === null ? null : await stat(path);
      assert.deepEqual(
        { ...entry, detail },
        {
          ...{
            name: "counter",
            condition,
            is_newer: isNewer,
            format,
            detail,
            findings: [],
            kept: [],
            versions: 0,
          },
          size_bytes: stats?.size ?? null,
          modified_at: stats?.mtime.toISOString() ?? null,
          good_copy_at: null,
        },
      );
    });
});

describe("what a document can be restored from", () => {
  const text = (counter: unknown, version = "1.0.0", internal: object = {}) =>
    JSON.stringify({ counter, __internal__: { migrations: { version }, ...internal } });
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
    const [good, last, first, former, ...bad] = await tools.copies("counter");
    const size = (name: keyof typeof files) => ({ size_bytes: files[name].length });
    const ok = { condition: "ok", detail: "", format: "1.0.0" };
    const at = written.toISOString();
    assert.deepEqual(good, {
      ...{ from: "good", what: "good copy", number: null, at, ...ok, ...size("counter.good.json") },
    });
    const version = { what: "version", ...ok, size_bytes: text(3).length };
    assert.deepEqual(
      [last, first],
      [
        {
          ...{
            from: "counter.version-000004-20261121T080000Z.json",
            number: 4,
            at: "2026-11-21T08:00:00.000Z",
          },
          ...version,
        },
        {
          ...{
            from: "counter.version-000003-20261119T080000Z.json",
            number: 3,
            at: "2026-11-19T08:00:00.000Z",
          },
          ...version,
        },
      ],
    );
    assert.deepEqual(former, {
      ...{
        from: "counter.format-0.9.0.json",
        what: "former format",
        number: null,
        at,
        ...ok,
        format: "0.9.0",
      },
      ...size("counter.format-0.9.0.json"),
    });
    const { detail, ...damaged } = bad[1] ?? {};
    assert.match(detail ?? "", /^counter\.bad-000001-20261118T080000Z\.json: /);
    assert.deepEqual(damaged, {
      ...{ from: "counter.bad-000001-20261118T080000Z.json", what: "could not be used", number: null },
      ...{ at: "2026-11-18T08:00:00.000Z", format: null, size_bytes: 1, condition: "damaged" },
    });
    assert.deepEqual([bad[0]?.from, bad.length], ["counter.bad-000002-20261118T090000Z.json", 2]);
  });

  it("is nothing where nothing is kept, and no other document's", async (test) => {
    const { tools } = await placed(test, { "counters.good.json": text(1) });
    assert.deepEqual(await tools.copies("counter"), []);
    for (const work of [tools.copies, tools.show, tools.restore, tools.reset])
      await assert.rejects(work("lamp"), { code: "not_found", message: /"lamp"; there are counter\.$/ });
  });

  it("is chosen by its name, its number or the time at which it was in force", async (test) => {
    const { tools } = await placed(test);
    const shown = async (choice?: object) => (await tools.show("counter", choice)) as { counter: number };
    const counters = async (...choices: object[]) =>
      Promise.all(choices.map(async (choice) => (await shown(choice)).counter));
    assert.deepEqual(await shown(), { counter: 1 });
    assert.deepEqual(
      await counters(
        ...[{}, { from: "good" }, { at: "3" }, { at: "4" }, { at: "2026-11-19T08:00:00Z" }],
        ...[{ at: "2026-11-21T07:59:59.999Z" }, { at: "2026-11-21T08:00:00Z" }, { at: "2027-01-01" }],
        ...["counter.format-0.9.0.json", "counter.bad-000002-20261118T090000Z.json"].map((from) => ({
          from,
        })),
        { from: "counter.version-000003-20261119T080000Z.json" },
      ),
      [1, 2, 3, 4, 3, 3, 4, 4, 9, 5, 3],
    );
    const refusals: [object, string, RegExp][] = [
      [{ at: "5" }, "not_found", /kept under the number 5\. See/],
      [{ at: "2026-11-19T07:59:59Z" }, "not_found", /kept from 2026-11-19T07:59:59Z or before\. See/],
      [{ at: "1234567890" }, "validation_failed", /not by "1234567890"/],
      [{ at: "noon" }, "validation_failed", /not by "noon"/],
      [
        { from: "counter.json" },
        "not_found",
        /"counter\.json"; there are: good, counter\.version-000003.*, counter\.format-0\.9\.0\.json, counter\.bad-000001/,
      ],
      [
        { from: "counter.bad-000001-20261118T080000Z.json" },
        "state_damaged",
        /^counter\.bad-000001-20261118T080000Z\.json cannot be used: (?!counter)/,
      ],
    ];
    for (const [choice, code, message] of refusals)
      await assert.rejects(tools.show("counter", choice), { code, message });
  });

  it("is put in the document's place, which is kept; the good copy unless another is chosen", async (test) => {
    const { directory, tools } = await placed(test);
    const restored = await tools.restore("counter");
    assert.equal((await onDisk(directory, "counter.json")).counter, 2);
    assert.deepEqual([restored.condition, restored.format, restored.kept.length], ["ok", "1.0.0", 3]);
    await tools.restore("counter", { at: "3" });
    assert.equal((await onDisk(directory, "counter.json")).counter, 3);
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
    await assert.rejects(absent.tools.restore("counter"), {
      ...{ code: "not_found", message: "counter.good.json is absent." },
    });
    assert.equal((await onDisk(absent.directory, "counter.json")).counter, 1);
  });

  it("is not said to be absent where that cannot be told", async (test) => {
    const { directory } = await placed(test);
    const tools = createStateTools(directory, [{ ...counterKind, name: "n".repeat(300) }]);
    await assert.rejects(tools.list(), { code: "ENAMETOOLONG" });
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
    const stored = {
      ...{ password_hash: "h", tokens: ["t"], token_count: 3, sealed: null, secret: { inner: "i" } },
      list: [{ refresh_key: "k", name: "n" }, "plain", 7],
      hashes: [1, "h"],
    };
    const { directory } = await placed(test, {
      "counter.json": JSON.stringify({ ...stored, __internal__: { migrations: { version: "1.0.0" } } }),
    });
    const open = { ...counterKind, name: "counter", schema: { type: "object" } };
    assert.deepEqual(await createStateTools(directory, [open]).show("counter"), {
      ...{ password_hash: "(hidden)", tokens: "(hidden)", token_count: 3, sealed: null },
      ...{ secret: { inner: "i" }, list: [{ refresh_key: "(hidden)", name: "n" }, "plain", 7] },
      hashes: "(hidden)",
    });
  });
});
