import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../../lab/agents/answer-rules.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { adminName, adminPassword } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { atEnd, endOfSuite, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { onDisk } from "../../../lab/state/state-directory.ts";
import { documentNames } from "../../../src/contract/document-names.ts";
import type { StewardError } from "../../../src/contract/errors.ts";
import { Register, readRegister } from "../../../src/store/documents/register.ts";
import { processTime } from "../../../src/store/files/store-time.ts";
import { openStateAt } from "../fixture.ts";

const file = endOfSuite();
let original: string | undefined;

/** State that was opened once, in a directory of its own. */
async function lived(test: TestContext): Promise<string> {
  if (original === undefined) {
    original = await temporaryDirectory(file);
    await (await openStateAt(original)).close();
  }
  const copy = await temporaryDirectory(test);
  await cp(original, copy, { recursive: true });
  return copy;
}

async function lose(directory: string, name: string): Promise<void> {
  for (const copy of [`${name}.json`, `${name}.good.json`]) await rm(join(directory, copy), { force: true });
}

/** Health's words by document, of an opening that is closed again. */
async function troublesAt(directory: string): Promise<Record<string, string>> {
  const state = await openStateAt(directory);
  const troubles = [...state.checks, { name: "updates", trouble: state.updatesTrouble }].flatMap(
    ({ name, trouble }) => (trouble() === null ? [] : [[name, trouble()?.detail]]),
  );
  await state.close();
  return Object.fromEntries(troubles);
}

describe("a document that is absent beside others", () => {
  for (const name of documentNames.filter((one) => !["users", "settings"].includes(one)))
    it(`is damage: ${name} begins anew, an event tells it, and health says it until it is accepted`, async (test) => {
      const directory = await lived(test);
      await lose(directory, name);
      for (const start of ["first", "second"]) {
        const troubles = await troublesAt(directory);
        assert.deepEqual(Object.keys(troubles), [name], start);
        assert.match(troubles[name] ?? "", new RegExp(`steward state accept ${name}`));
        assert.match(troubles[name] ?? "", new RegExp(`${name}\\.json is missing.*lost`));
      }
      const state = await openStateAt(directory);
      const { items } = await state.events.list({ limit: 10 });
      const [told, ...others] = items.filter(({ type }) => type === "state.damage_found");
      assert.ok(told && others.length === 0, `${name}: ${others.length} others`);
      checkEvent(told);
      const { detail, ...facts } = told.details;
      const expected = { document: name, damage: "missing", replacement: "defaults", is_loss: true };
      assert.deepEqual(facts, expected, String(detail));
      assert.equal((await state.register.accept(name)).length, 1);
      await state.close();
      assert.deepEqual(await troublesAt(directory), {});
    });

  for (const name of ["users", "settings"])
    it(`is damage that the agent does not go on without: ${name}`, async (test) => {
      const directory = await lived(test);
      await lose(directory, name);
      await assert.rejects(openStateAt(directory), ({ code, message }: StewardError) => {
        assert.equal(code, "state_damaged");
        assert.match(message, new RegExp(`${name}\\.json is missing.*steward state list ${name}`));
        // The users had no version worth keeping yet.
        const restore = name === "settings" ? "--at 1` \\(its version of 20" : "`";
        assert.match(message, new RegExp(`steward state restore ${name} ?${restore}`));
        return true;
      });
    });

  it("is none where a release has brought the document along", async (test) => {
    const directory = await lived(test);
    await lose(directory, "updates");
    const path = join(directory, ".register.json");
    const register = await onDisk(directory, ".register.json");
    const known = documentNames.filter((name) => name !== "updates");
    await writeFile(path, JSON.stringify({ ...register, documents: known }));
    assert.deepEqual(await troublesAt(directory), {});
    const found = new Set((await onDisk(directory, ".register.json")).documents as string[]);
    assert.deepEqual(found, new Set(documentNames));
  });

  it("is none where the first start was cut short behind the users", async (test) => {
    const directory = await temporaryDirectory(test);
    const whole = await lived(test);
    await writeFile(join(directory, ".register.json"), JSON.stringify({ documents: [], findings: [] }));
    await cp(join(whole, "users.json"), join(directory, "users.json"));
    assert.deepEqual(await troublesAt(directory), {});
  });

  it("is damage also where the register is lost with it, and a register that cannot be read is told of", async (test) => {
    const directory = await lived(test);
    await lose(directory, "tokens");
    await rm(join(directory, ".register.json"));
    assert.deepEqual(Object.keys(await troublesAt(directory)), ["tokens"]);
    await writeFile(join(directory, ".register.json"), "{");
    const troubles = await troublesAt(directory);
    assert.deepEqual(Object.keys(troubles), ["register"]);
    assert.equal(await readFile(join(directory, ".register.json.bad"), "utf8"), "{");
  });
});

describe("a lost record of used codes", () => {
  it("makes no code good twice; the next but one is good", async (test) => {
    const directory = await temporaryDirectory(test);
    const time = standingTime();
    const first = await startAgentInProcess({ stateDirectory: directory, time });
    const { id, token } = await first.signedInAdmin();
    const user = { id, token, password: adminPassword };
    const { secret } = await enrol(first.call, user, time.nowSeconds() - 30);
    const code = codeOf(secret, time.nowSeconds());
    const login = (agent: typeof first, given: string) => {
      const body = { username: adminName, password: adminPassword, code: given };
      return agent.call("POST", "/api/auth/login", { body });
    };
    assert.equal((await login(first, code)).status, 200);
    await first.stop();
    await lose(directory, "used-codes");
    const second = await startAgentInProcess({ stateDirectory: directory, time });
    atEnd(test, () => second.dispose());
    const again = await login(second, code);
    assert.deepEqual([again.status, again.json.code], [401, "totp_reused"], again.text);
    time.pass(60);
    const next = await login(second, codeOf(secret, time.nowSeconds()));
    assert.equal(next.status, 200, next.text);
    const { json } = await second.call("GET", "/api/health", { local: true });
    const wrong = json.checks.filter(({ status }: { status: string }) => status !== "ok");
    const found = wrong.map(({ name }: { name: string }) => name);
    assert.deepEqual(found, ["used-codes"]);
  });
});

describe("the command line without an agent", () => {
  it("says what was found in a sentence, accepts it, and lists what a document can be restored from", async (test) => {
    const directory = await lived(test);
    await lose(directory, "tokens");
    const environment = { STEWARD_STATE: directory, STEWARD_SOCKET: join(directory, "none.sock") };
    const says = async (line: string, code = 0) => {
      const ended = await runSteward(line.split(" "), { environment });
      assert.equal(ended.code, code, ended.stderr);
      return ended;
    };
    const { stderr } = await says("user list");
    assert.match(stderr, /^A document needs attention \(tokens\): .*tokens\.json is missing\. .*\.$/m);
    assert.doesNotMatch(stderr, /^\{/m);
    const accepted = /Accepted; health no longer reports:\n.*tokens\.json is missing/;
    assert.match((await says("state accept tokens")).stderr, accepted);
    assert.match((await says("state accept tokens", 3)).stderr, /"tokens" has no finding/);
    await says("system set device.name=pump-8");
    const { items } = JSON.parse((await says("state list settings -o json")).stdout);
    const versions = items.filter(({ what }: { what: string }) => what === "version");
    assert.deepEqual(
      versions.map(({ number }: { number: number }) => number),
      [2, 1],
    );
    await says("state restore settings --at 1 --yes");
    assert.doesNotMatch((await says("system get device.name")).stdout, /pump-8/);
  });
});

describe("the findings of the register", () => {
  const found = (detail: string) =>
    ({ damage: "unreadable", replacement: "good_copy", detail, isLoss: true }) as const;

  it("are kept once each, the last five of a document, and none is lost for another document's", async (test) => {
    const directory = await temporaryDirectory(test);
    const register = await Register.open(directory, []);
    await register.add("users", found("of users"));
    for (const number of [1, 2, 2, 3, 4, 5, 6, 7, 7])
      await register.add("clock", found(`of clock ${number}`));
    const details = (await readRegister(directory))?.findings.map(({ detail }) => detail);
    const kept = [3, 4, 5, 6, 7].map((number) => `of clock ${number}`);
    assert.deepEqual(details, ["of users", ...kept]);
    // A copy of the same words about another document is another finding.
    await register.add("users", found("of clock 7"));
    assert.equal(register.findings().length, 7);
  });

  const whole = { document: "users", at: "2026-11-22T08:00:00.000Z", detail: "of users" };
  it("are damage where they have another form", async (test) => {
    const directory = await temporaryDirectory(test);
    const path = join(directory, ".register.json");
    await writeFile(path, JSON.stringify({ documents: ["users"], findings: [whole] }));
    assert.deepEqual((await readRegister(directory))?.findings, [whole]);
    for (const contents of [
      { documents: ["users"], findings: [whole, { document: "users" }] },
      { documents: ["users"], findings: [null] },
      { documents: ["users"], findings: whole },
      { documents: ["users", 1], findings: [] },
      { documents: "users", findings: [] },
      null,
    ]) {
      await writeFile(path, JSON.stringify(contents));
      assert.equal(await readRegister(directory), null);
      const [finding] = (await Register.open(directory, [])).findings();
      assert.match(finding?.detail ?? "", /it does not have the form of a register/);
    }
  });
});

describe("the register itself", () => {
  const found = { damage: "missing", replacement: "defaults", detail: "of users", isLoss: true } as const;

  it("begins with the documents that every earlier release had, and is on the disk at once, one state after the other", async (test) => {
    const directory = await temporaryDirectory(test);
    const register = await Register.open(directory, ["users"]);
    assert.deepEqual([register.isKnown("users"), register.isKnown("clock")], [true, false]);
    assert.deepEqual(await readRegister(directory), { documents: ["users"], findings: [] });
    await Promise.all([
      register.know(["clock", "users"]),
      register.know(["tokens"]),
      register.add("clock", found),
    ]);
    const { documents, findings } = (await readRegister(directory)) ?? {};
    assert.deepEqual([documents, findings?.length], [["users", "clock", "tokens"], 1]);
    const again = await Register.open(directory, ["settings"]);
    assert.deepEqual([again.isKnown("clock"), again.isKnown("settings")], [true, false]);
  });

  it("writes nothing where nothing is new", async (test) => {
    const directory = await temporaryDirectory(test);
    const register = await Register.open(directory, ["users"]);
    await register.add("users", found);
    await register.told();
    await writeFile(join(directory, ".register.json"), "untouched");
    await register.know(["users"]);
    await register.add("users", found);
    await register.told();
    await register.settle();
    assert.deepEqual(await register.accept("clock"), []);
    assert.equal(await readFile(join(directory, ".register.json"), "utf8"), "untouched");
  });

  it("keeps of a finding all that was found, from when it is and whether it was told", async (test) => {
    const directory = await temporaryDirectory(test);
    const time = { ...processTime, wall: () => Date.parse("2026-11-22T08:00:00Z") };
    const register = await Register.open(directory, [], { time });
    await register.add("users", found);
    const stored = { document: "users", at: "2026-11-22T08:00:00.000Z", ...found, isTold: false };
    assert.deepEqual(register.findings(), [stored]);
    await register.told();
    await register.add("clock", { ...found, detail: "of clock" });
    const [first, second] = (await readRegister(directory))?.findings ?? [];
    assert.deepEqual([first, second?.isTold], [{ ...stored, isTold: true }, false]);
    assert.deepEqual(await register.accept("users"), [first]);
    assert.deepEqual((await readRegister(directory))?.findings, [second]);
  });

  it("goes on in memory where the disk takes nothing, and is written when that is possible", async (test) => {
    const home = await temporaryDirectory(test);
    const directory = join(home, "state");
    const register = await Register.open(directory, []);
    await register.know(["users"]);
    await register.add("users", found);
    await assert.rejects(register.accept("users"), { code: "storage_unwritable" });
    assert.equal(register.findings().length, 1, "what was not accepted is there still");
    await mkdir(directory);
    await register.settle();
    const { documents, findings } = (await readRegister(directory)) ?? {};
    assert.deepEqual([documents, findings?.length], [["users"], 1]);
    await rename(directory, `${directory}.away`);
    await register.settle();
    assert.deepEqual(await readdir(home), ["state.away"]);
  });

  it("only reads where it is only read", async (test) => {
    const directory = await temporaryDirectory(test);
    const left = "..register.json.0123456789ab.tmp";
    for (const name of [".register.json", left]) await writeFile(join(directory, name), "{");
    const register = await Register.open(directory, ["users"], { readsOnly: true });
    await register.know(["clock"]);
    const [{ document, damage, replacement, isLoss } = assert.fail(), ...others] = register.findings();
    const finding = [document, damage, replacement, isLoss];
    assert.deepEqual([finding, others], [["register", "unreadable", "defaults", true], []]);
    assert.equal(register.isKnown("clock"), true);
    assert.deepEqual((await readdir(directory)).sort(), [left, ".register.json"]);
    assert.equal(await readFile(join(directory, ".register.json"), "utf8"), "{");
    await Register.open(directory, []);
    assert.deepEqual((await readdir(directory)).sort(), [".register.json", ".register.json.bad"]);
  });
});
