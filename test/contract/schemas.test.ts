import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { eventTypes } from "../../src/contract/event-types.ts";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { annotationKeywords } from "../../src/contract/schemas/settings.ts";
import { problem } from "../../src/contract/shapes.ts";
import { documentKinds } from "../../src/programs/agent/documents.ts";
import { releaseJournalSchema } from "../../src/releases/release-journal-schema.ts";

/** With the meta-schema of JSON Schema 2020-12, which the program and the other tests leave out: it costs each of them. */
const ajv = new Ajv2020({
  strictTypes: false,
  strictRequired: false,
  keywords: [...annotationKeywords, "x-optional"],
  formats: { "date-time": true },
});

/** Every schema that the program or a test compiles, by what it is for. */
const schemas: readonly [name: string, schema: object | undefined][] = [
  ...operationIds.flatMap((id) => {
    const { body, query, pathParameters = {}, response } = operationOf(id);
    const parameters = Object.entries(pathParameters).map(
      ([name, schema]) => [`${id} path ${name}`, schema] as const,
    );
    const parts = [
      ["body", body] as const,
      ["query", query] as const,
      ["response", response.schema] as const,
    ];
    return [...parts.map(([part, schema]) => [`${id} ${part}`, schema] as const), ...parameters];
  }),
  ...Object.entries(eventTypes).flatMap(([type, { details }]) =>
    Object.entries(details).map(([name, schema]) => [`${type} ${name}`, schema] as const),
  ),
  ...documentKinds({}).map(({ name, schema }) => [`document ${name}`, schema] as const),
  ["release journal", releaseJournalSchema],
  ["problem", problem],
].map(([name, schema]) => [name as string, schema as object | undefined]);

describe("every schema", () => {
  it("is one of JSON Schema 2020-12, with no keyword that ajv does not know", () => {
    const given = schemas.filter((entry): entry is [string, object] => entry[1] !== undefined);
    assert.ok(given.length > 100, `${given.length} schemas`);
    for (const [name, schema] of given) {
      assert.equal(ajv.validateSchema(schema), true, `${name}: ${ajv.errorsText(ajv.errors)}`);
      assert.doesNotThrow(() => ajv.compile(schema), name);
    }
  });

  it("would be found out with a wrong or an unknown keyword", () => {
    assert.equal(ajv.validateSchema({ type: "text" }), false);
    assert.throws(() => ajv.compile({ type: "string", maxLenght: 3 }), /maxLenght/);
  });
});
