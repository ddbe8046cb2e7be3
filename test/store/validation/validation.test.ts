import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { documentNames } from "../../../src/contract/document-names.ts";
import { operationIds } from "../../../src/contract/operations.ts";
import {
  createValidator,
  documentValidatorName,
  inputValidatorName,
} from "../../../src/store/validation/schemas.ts";

describe("a validator", () => {
  it("has a name that no other has, by which the build finds it", () => {
    const parts = ["body", "query", "path id"];
    const names = [
      ...documentNames.map(documentValidatorName),
      ...operationIds.flatMap((id) => parts.map((part) => inputValidatorName(id, part))),
    ];
    assert.equal(new Set(names).size, documentNames.length + 3 * operationIds.length);
  });

  it("compiles its schema at its first use, once, and fills in defaults in place", () => {
    let made = 0;
    const validate = createValidator("a part", () => {
      made += 1;
      return { type: "object", properties: { level: { type: "integer", default: 7 } } };
    });
    assert.equal(made, 0);
    const value = {};
    assert.deepEqual([validate(value), value, made], [[], { level: 7 }, 1]);
    assert.deepEqual([validate({}), made], [[], 1]);
    const found = validate({ level: "high" }).map(({ pointer, code }) => [pointer, code]);
    assert.deepEqual(found, [["/level", "type"]]);
  });
});

/** Each is the end of a sentence that begins with the member's name. */
const cases: readonly (readonly [schema: object, value: unknown, words: string])[] = [
  [{ type: "string" }, 1, "must be text"],
  [{ type: "integer" }, 1.5, "must be a whole number"],
  [{ type: "number" }, "1", "must be a number"],
  [{ type: "boolean" }, 1, "must be true or false"],
  [{ type: "array" }, {}, "must be a list"],
  [{ type: "object" }, [], "must be an object"],
  [{ type: ["string", "null"] }, 1, "must be text or null"],
  [{ enum: ["a", 2] }, "b", "must be one of a, 2"],
  [{ const: "a" }, "b", "must be a"],
  [{ minLength: 1 }, "", "must not be empty"],
  [{ minLength: 2 }, "a", "must have at least 2 characters"],
  [{ maxLength: 2 }, "abc", "must have at most 2 characters"],
  [{ minItems: 1 }, [], "must have at least one entry"],
  [{ minItems: 2 }, [1], "must have at least 2 entries"],
  [{ maxItems: 1 }, [1, 2], "must have at most 1 entries"],
  [{ uniqueItems: true }, [1, 1], "must not have the same entry twice"],
  [{ minimum: 3 }, 2, "must be at least 3"],
  [{ maximum: 3 }, 4, "must be at most 3"],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, "must have at most 1 members"],
  [{ multipleOf: 2 }, 3, "is not valid"],
  [{ pattern: "^a$" }, "b", "is not in the form that is expected"],
  ...[
    { pattern: "^a$" },
    { not: { const: "b" } },
    { oneOf: [{ const: "a" }] },
    { anyOf: [{ const: "a" }] },
  ].map((schema) => [{ ...schema, "x-expected": "the letter a" }, "b", "must be the letter a"] as const),
];

describe("the words about a value that does not fit", () => {
  for (const [schema, value, words] of cases)
    it(`say of ${JSON.stringify(value)} for ${JSON.stringify(schema)} that it ${words}`, () => {
      // The name has what a pointer and a URI fragment write in another way.
      const name = "a/b~c d%";
      const validate = createValidator("a part", { properties: { [name]: schema } });
      const found = validate({ [name]: value }).map(({ pointer, detail }) => [pointer, detail]);
      assert.deepEqual(found, [["/a~1b~0c d%", words]]);
      assert.deepEqual(validate({}), []);
    });

  it("say of a name that is not allowed no more than that there is one", () => {
    const floors = { propertyNames: { type: "string", maxLength: 2 } };
    const validate = createValidator("a part", { properties: { floors } });
    assert.deepEqual(
      validate({ floors: { abc: 1, abd: 1, b: 2 } }).map(({ pointer, detail }) => [pointer, detail]),
      [["/floors", "has a member with a name that is not allowed"]],
    );
  });

  it("say of 32 places at most what is wrong there, and name none by more than 128 characters", () => {
    const validate = createValidator("a part", { additionalProperties: false });
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));
    const found = [31, 32, 33, 400].map((count) => validate(many(count)).length);
    assert.deepEqual(found, [31, 32, 32, 32]);
    const [fault] = validate({ [`${"n".repeat(127)}/~`]: 1 });
    assert.deepEqual(fault, {
      ...{ pointer: `/${"n".repeat(127)}~1`, code: "unknown_field", detail: "is not a member known here" },
    });
  });

  it("say one thing of each place, and of a choice that none of its forms fits", () => {
    const schema = {
      properties: {
        short: { type: "string", minLength: 4, pattern: "^[a-z]{4}$" },
        choice: { oneOf: [{ type: "null" }, { required: ["a"], properties: { a: { type: "string" } } }] },
      },
      required: ["needed"],
    };
    const faults = createValidator("a part", schema)({ short: "A", choice: { a: 1 } });
    assert.deepEqual(faults.map(({ pointer, code }) => [pointer, code]).sort(), [
      ["/choice", "oneOf"],
      ["/needed", "required"],
      ["/short", "minLength"],
    ]);
  });
});
