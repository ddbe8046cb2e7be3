import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import type { Schema } from "../../../lab/fuzz/fitting.ts";
import { displayNameOf } from "../../../src/accounts/oidc/identity.ts";
import { hostFile } from "../../../src/contract/host-file/host-file.ts";
import { operations } from "../../../src/contract/operations.ts";
import { createValidator } from "../../../src/store/validation/schemas.ts";

/** The members that take a text of their writer's, by their places; `*` is each of a list. */
function textsOf(schema: Schema, place: string): (readonly [place: string, schema: Schema])[] {
  const { type, properties = {}, items, oneOf = [], anyOf = [] } = schema;
  const isText = [type].flat().includes("string") && schema.enum === undefined && !("const" in schema);
  return [
    ...(isText ? [[place, schema] as const] : []),
    ...Object.entries(properties).flatMap(([name, member]) => textsOf(member, `${place}/${name}`)),
    ...(items ? textsOf(items, `${place}/*`) : []),
    ...[...oneOf, ...anyOf].flatMap((one) => textsOf(one, place)),
  ];
}

/** Names that are not seen, by their parts. */
const unseen: Readonly<Record<string, string>> = {
  ...{ blanks: "   ", "no-break spaces": "\u00a0\u202f", "no width": "\u200b", "a soft hyphen": "\u00ad" },
  ...{ "joiners of nothing": "\u200d\u200c", "a byte order mark": "\ufeff", "empty Braille": "\u2800" },
  ...{ "Hangul fillers": "\u3164\u115f\uffa0", "marks of direction": "\u200f\u200e\u061c" },
  ...{ "a turned direction": "\u202e", "a chosen form of nothing": "\ufe0f" },
};

/** Names that have such characters where people need them. */
const names = ["Pumpe 7", "👨‍👩‍👧 ☎️", "پمپ‌خانه", "北 棟", "🏴‍☠️"];

/** Texts that are no names: nobody reads them, or they are kept and sent as they are. */
const opaque = [
  /(?:password|passphrase|secret|identity|code|token|sealed|query|hash)$/,
  /\/(?:\$schema|confirm|repository|origin|transports\/\*|sources\/\*|pages\/\*)$/,
  /^(?:login|deleteUser|.*challenge.*) .*username$/i,
  // Judged as addresses by the rules of the host file, and compared with what a provider says.
  /^host file\/(?:trusted_proxies|https\/address|oidc\/(?:issuer|origins|endpoint_origins|roles)|update\/proxy|update\/redirect_origins|telemetry\/otlp\/url|network\/proxy|notify\/proxy|oidc\/proxy|telemetry\/\w+\/proxy)/,
  /^host file\/.*(?:url|activate\/\*|self_test\/\*|command\/\*|version_member|_file|mark|picture)$/,
  /^(?:setReceiverSecret|syncTime) /,
  // An address, and a path of one: what is not of its form leads to the first page.
  /^(?:host file\/product\/sign_in|enterPage \/to)$/,
];

describe("a text of people", () => {
  const bodies = Object.entries(operations).flatMap(([id, operation]) =>
    "body" in operation && operation.body !== undefined ? textsOf(operation.body as Schema, `${id} `) : [],
  );
  const places = [...bodies, ...textsOf(hostFile as Schema, "host file")];
  const read = places
    .filter(([place]) => !opaque.some((form) => form.test(place)))
    .map(([place, schema]) => {
      const faultsIn = createValidator("it", { type: "object", properties: { text: schema } });
      return { place, isTaken: (text: string) => faultsIn({ text }).length === 0 };
    });

  it("is in many places", () => assert.ok(read.length > 60, `${read.length}`));

  for (const [name, text] of Object.entries(unseen))
    it(`is nowhere ${name} alone`, () => {
      const taken = read.filter(({ isTaken }) => isTaken(text)).map(({ place }) => place);
      assert.deepEqual(taken, []);
    });

  it("may have in it what the writing of its language needs", () => {
    const people = read.filter(({ place }) => /(?:display_name|device\/\w+|banner|reason)$/.test(place));
    assert.ok(people.length > 10, `${people.length}`);
    for (const { place, isTaken } of people)
      for (const name of names) assert.ok(isTaken(name), `${place}: ${name}`);
  });

  it("comes whole from a sign-in provider, or not at all", () => {
    for (const name of names) assert.equal(displayNameOf({ sub: "s", name }), name);
    for (const name of [...Object.values(unseen), "Kessel \ud83d"])
      assert.equal(displayNameOf({ sub: "s", name }), "");
  });
});

describe("half a character in a body", () => {
  const agent = ofSuite(() => startAgentInProcess());

  it("is refused with its place by each operation that takes one", async () => {
    let asked = 0;
    const { id: own, token } = await agent.signedInAdmin();
    for (const [id, operation] of Object.entries(operations)) {
      // Before a body is read, they are refused to this caller.
      const isClosed = ["setUp", "rotateOwnToken", "restoreBackup"].includes(id);
      if (!("body" in operation) || operation.body === undefined || isClosed) continue;
      const isLocal = operation.access === "local";
      const answer = await agent.call(operation.method, operation.path.replaceAll(/\{\w+\}/g, own), {
        body: '{"name":"Kessel \\ud83d"}',
        ...(isLocal ? { local: true } : { token }),
      });
      const isUsual = answer.status === 400 && answer.json.code === "malformed_json";
      assert.ok(isUsual, `${id}: ${answer.status} ${answer.text}`);
      assert.match(answer.json.detail, /line 1, column 9 \(\/name\): a text has half a character/, id);
      asked += 1;
    }
    assert.ok(asked > 30, `${asked}`);
  });
});
