import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { eventTypes } from "../../src/contract/event-types.ts";
import { errorCodesOf } from "../../src/contract/openapi/answers.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { type OperationId, operationIds, operationOf } from "../../src/contract/operations.ts";
import { annotationKeywords, settings } from "../../src/contract/schemas/settings.ts";
import { problem } from "../../src/contract/shapes.ts";
import { documentKinds } from "../../src/programs/agent/documents.ts";
import { releaseJournalSchema } from "../../src/releases/release-journal-schema.ts";
import { createValidator } from "../../src/store/validation/schemas.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The schemas of all operations, by what each is for. */
const ofOperations = operationIds.flatMap((id) => {
  const { body, query, pathParameters = {}, response } = operationOf(id);
  const parts = { body, query, response: response.schema, ...pathParameters };
  return Object.entries(parts).flatMap(([part, schema]) =>
    schema === undefined ? [] : [[`${id} ${part}`, schema as Schema] as const],
  );
});

describe("every schema", () => {
  /** With the meta-schema of JSON Schema 2020-12, which the program and the other tests leave out: it costs each of them. */
  const ajv = new Ajv2020({
    ...{ strictTypes: false, strictRequired: false, keywords: [...annotationKeywords, "x-optional"] },
    formats: { "date-time": true },
  });

  it("is one of JSON Schema 2020-12, with no keyword that ajv does not know", () => {
    const ofEvents = Object.entries(eventTypes).flatMap(([type, { details }]) =>
      Object.entries(details).map(([name, schema]) => [`${type} ${name}`, schema] as const),
    );
    const ofDocuments = documentKinds({}).map(({ name, schema }) => [`document ${name}`, schema] as const);
    const others = [["release journal", releaseJournalSchema] as const, ["problem", problem] as const];
    const all = [...ofOperations, ...ofEvents, ...ofDocuments, ...others];
    assert.ok(all.length > 100, `${all.length} schemas`);
    for (const [name, schema] of all) {
      assert.equal(ajv.validateSchema(schema), true, `${name}: ${ajv.errorsText(ajv.errors)}`);
      assert.doesNotThrow(() => ajv.compile(schema), name);
    }
  });

  it("would be found out with a wrong or an unknown keyword", () => {
    assert.equal(ajv.validateSchema({ type: "text" }), false);
    assert.throws(() => ajv.compile({ type: "string", maxLenght: 3 }), /maxLenght/);
  });
});

describe("the words about input that does not fit", () => {
  /** A schema and everything within it. */
  const partsOf = (schema: unknown): Schema[] =>
    typeof schema === "object" && schema !== null
      ? [schema as Schema, ...Object.values(schema).flatMap(partsOf)]
      : [];
  const parts = new Set([...ofOperations.map(([, schema]) => schema), settings, problem].flatMap(partsOf));
  const forms = [...parts].filter(({ type, pattern, format }) => type !== undefined && (pattern ?? format));

  const assertWords = (detail: string): void => {
    // Regular expressions have these signs, and no sentence for people does.
    assert.doesNotMatch(detail, /[\^$\\]|\[[a-z0-9]-|\(\?|\.\*|pattern/);
    assert.match(detail, /^(must|is) \S/);
  };

  it("is looked at for every pattern and format of the contract", () => {
    assert.ok(forms.length > 15, `${forms.length} were found`);
    const wordless = forms.filter((form) => typeof form["x-expected"] !== "string");
    assert.deepEqual(wordless, []);
  });

  const byPattern = new Map(forms.map((form) => [form.pattern, form]));
  byPattern.delete(undefined);
  for (const [pattern, { default: _, ...form }] of byPattern)
    it(`has no regular expression where ${pattern} is not met`, () => {
      const check = createValidator("a part", form);
      // Among these texts each pattern finds one that it does not take.
      const errors = ["\u0007", "", "~", "\u200b"].flatMap((text) => check(text));
      const details = errors.filter(({ code }) => code === "pattern").map(({ detail }) => detail);
      assert.ok(details.length > 0, "it takes them all");
      for (const detail of details) {
        assertWords(detail);
        assert.equal(detail.replace(/; it has .* at place 1$/, ""), `must be ${form["x-expected"]}`);
      }
    });

  /** Values of the wrong kind in the places of all members, and one that is not known. */
  const garbage: unknown[] = ["\u0007", -7, null, true, [[]], { x: 1 }, "x".repeat(9_000)];
  for (const [name, schema] of ofOperations) {
    const { properties } = schema as { properties?: Schema };
    if (!/ (body|query)$/.test(name) || properties === undefined) continue;
    it(`of ${name} is words`, () => {
      const check = createValidator(name, schema);
      const members = [...Object.keys(properties), "of no use"];
      const filled = garbage.map((value) => Object.fromEntries(members.map((member) => [member, value])));
      const errors = [...garbage, ...filled].flatMap((value) => check(structuredClone(value)));
      assert.ok(errors.length > 0);
      for (const { detail } of errors) assertWords(detail);
    });
  }
});

describe("an operation that lists", () => {
  /** Views of one thing, which say several of something besides: bounded by what they are of, and no list to page through. */
  const views: readonly OperationId[] = [
    ...(["getHealth", "getStatus", "getReadiness", "getSystemFacts", "getTls", "getTimeSync"] as const),
    // A user has a few passkeys; receivers are those that the settings and the host file name.
    ...(["getUpdates", "getTwoFactor", "getNotifications"] as const),
    // One for each bar that the caller draws, for each unit, and what a file of the device cannot say.
    ...(["countEvents", "countLogs", "exportConfiguration"] as const),
  ];

  interface Member extends Schema {
    readonly items?: Schema;
  }
  const propertiesOf = (schema: object | undefined) =>
    (schema as { properties?: Record<string, Member> } | undefined)?.properties ?? {};
  const isListOfObjects = ({ type, items }: Member) => type === "array" && items?.type === "object";

  /** True where a stranger would take the answer for a list: an array, or an object with an array of objects in it. */
  function looksLikeList({ method, response, query }: Operation): boolean {
    if (method !== "GET" || response.stream) return false;
    const parameters = Object.keys(propertiesOf(query));
    return (
      (response.schema as Schema | undefined)?.type === "array" ||
      Object.values(propertiesOf(response.schema)).some(isListOfObjects) ||
      parameters.some((name) => ["limit", "cursor", "offset", "page"].includes(name))
    );
  }

  /** The faults of the operation as one that lists; empty when it has the common form. */
  function faultsOf(operation: Operation): string[] {
    const { items, total, next_cursor } = propertiesOf(operation.response.schema);
    const { limit, cursor } = propertiesOf(operation.query);
    const { required = [] } = (operation.response.schema ?? {}) as { required?: string[] };
    const isExplained = total?.type === "integer" || String(total?.description).includes("null:");
    const faults = {
      "items is no list of objects": !items || !isListOfObjects(items),
      "a member may be absent": !["items", "total", "next_cursor"].every((name) => required.includes(name)),
      "total is no number": !/^integer(,null)?$/.test(String(total?.type)),
      "nothing says why total is null": !isExplained,
      "next_cursor is no text": String(next_cursor?.type) !== "string,null",
      "limit is not 1 to 200": limit?.minimum !== 1 || limit.maximum !== 200 || limit.default === undefined,
      "cursor is not bounded": cursor?.type !== "string" || !(Number(cursor.maxLength) <= 512),
      "a foreign cursor is not announced": !errorCodesOf(operation).includes("invalid_cursor"),
    };
    return Object.entries(faults).flatMap(([fault, isThere]) => (isThere ? [fault] : []));
  }

  const lists = operationIds.filter((id) => id.startsWith("list"));

  it("is called so, and no other answers with a list of its own making", () => {
    const like = operationIds.filter((id) => looksLikeList(operationOf(id)));
    assert.deepEqual(like.filter((id) => !lists.includes(id) && !views.includes(id)).sort(), []);
    const known = ["listEvents", "listLogs", "listSessions", "listTokens", "listUpdateHistory", "listUsers"];
    assert.deepEqual([...lists].sort(), known);
  });

  for (const id of lists)
    it(`${id} has items, total and next_cursor, and takes limit and cursor`, () =>
      assert.deepEqual(faultsOf(operationOf(id)), []));

  it("of another make would be found", () => {
    const entries = { type: "object", properties: { entries: { type: "array", items: { type: "object" } } } };
    const operation: Operation = {
      ...{ method: "GET", path: "/api/things", summary: "Things", description: "", access: "session" },
      response: { status: 200, schema: entries },
    };
    assert.ok(looksLikeList(operation) && faultsOf(operation).length > 5);
  });
});
