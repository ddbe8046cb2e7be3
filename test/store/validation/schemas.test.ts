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
