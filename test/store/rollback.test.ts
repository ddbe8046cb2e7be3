import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { atEnd, endOfSuite } from "../../lab/basics/ending.ts";
import { type LivedInState, login, makeLivedInState } from "../../lab/state/damaged-state.ts";
import { keptFiles, onDisk } from "../../lab/state/state-directory.ts";
import { documentNames } from "../../src/contract/document-names.ts";
import { documentKinds } from "../../src/programs/agent/documents.ts";
import { openDocument } from "../../src/store/documents/document.ts";
import type { DocumentKind } from "../../src/store/documents/document-kind.ts";
import { createReserve } from "../../src/store/files/reserve.ts";

/** A document of a release that has it in another form altogether, of a version that is above all of today's. */
const inNextForm = ({
  name,
  schema,
  defaults,
  migrations,
  onLoss,
}: DocumentKind<object>): DocumentKind<object> => ({
  ...{ name, onLoss, formatVersion: "9.0.0", defaults: { inside: defaults } },
  schema: {
    type: "object",
    additionalProperties: false,
    required: ["inside"],
    properties: { inside: schema },
  },
  migrations: {
    ...migrations,
    "9.0.0": (members) => {
      const names = Object.keys(defaults);
      members.set("inside", Object.fromEntries(names.map((one) => [one, members.get(one)])));
      for (const one of names) members.delete(one);
    },
  },
});

/** Opens and closes all documents of a device that has started as that release would; returns what it finds. */
async function asNextRelease(directory: string): Promise<string[]> {
  const findings: string[] = [];
  const found = async ({ detail }: { detail: string }) => void findings.push(detail);
  const options = { isFirstStart: false, reserve: createReserve(directory), found };
  const names: readonly string[] = documentNames;
  for (const kind of documentKinds({}).filter(({ name }) => names.includes(name)))
    await (await openDocument(directory, inNextForm(kind), options)).close();
  return findings;
}

describe("a release that has all documents in another form and is undone", () => {
  const suite = endOfSuite();
  let state: LivedInState;
  before(async () => {
    state = await makeLivedInState(suite);
  });

  it("leaves the bytes of the form before, which are taken and told of, and nothing is lost", async (test) => {
    const directory = await state.copy(test);
    const before = await Promise.all(documentNames.map((name) => readFile(join(directory, `${name}.json`))));
    assert.deepEqual(await asNextRelease(directory), []);
    for (const [index, name] of documentNames.entries()) {
      const { version } = JSON.parse(String(before[index])).__internal__.migrations;
      assert.deepEqual(
        await readFile(join(directory, `${name}.format-${version}.json`)),
        before[index],
        name,
      );
    }
    const agent = await startAgentInProcess({ stateDirectory: directory });
    atEnd(test, () => agent.dispose());
    // Sign-ins, tokens and settings are as they were.
    const fleet = await agent.call("GET", "/api/system", { token: state.apiToken });
    assert.deepEqual([fleet.status, fleet.json.device?.name], [200, "pump 7"], fleet.text);
    const body = { refresh_token: state.refreshToken };
    assert.equal((await agent.call("POST", "/api/auth/refresh", { body })).status, 200);
    assert.equal((await agent.call("POST", "/api/auth/login", login)).status, 200);
    const ana = { body: { ...login.body, username: "ana" } };
    assert.equal((await agent.call("POST", "/api/auth/login", ana)).json.code, "totp_required");
    const { json } = await agent.call("GET", "/api/health", { local: true });
    const trouble = (json.checks as { name: string; detail: string }[]).filter(({ detail }) => detail !== "");
    assert.deepEqual(trouble.map(({ name }) => name).sort(), [...documentNames].sort());
    for (const { name, detail } of trouble) {
      assert.match(detail, /format 9\.0\.0, known here: [12]\.\d\.0/);
      assert.match(detail, /the newer release had changed nothing/);
      assert.match(detail, new RegExp(`steward state accept ${name}`));
    }
    await agent.stop();
    for (const name of documentNames) assert.equal((await keptFiles(directory, name)).length, 1, name);
    assert.deepEqual(await asNextRelease(directory), []);
    assert.deepEqual(Object.keys(await onDisk(directory, "settings.json")), ["inside", "__internal__"]);
  });
});
