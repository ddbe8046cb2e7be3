import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { settings } from "../../src/contract/schemas/settings.ts";
import { problem } from "../../src/contract/shapes.ts";
import { createValidator } from "../../src/store/validation/schemas.ts";

type Schema = Readonly<Record<string, unknown>>;

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null;
}

/** A schema and everything within it. */
function partsOf(schema: unknown): Schema[] {
  if (!isSchema(schema)) return [];
  return [schema, ...Object.values(schema).flatMap(partsOf)];
}

const schemas = operationIds.flatMap((id) => {
  const { body, query, pathParameters, response } = operationOf(id);
  return [body, query, pathParameters, response.schema];
});
const parts = [...new Set([...schemas, settings, problem].flatMap(partsOf))];
const forms = parts.filter(({ type, pattern, format }) => type !== undefined && (pattern ?? format));

/** Texts among which each pattern of the contract finds one that it does not take. */
const wrongTexts = ["\u0007", "", "~", "\u200b"];

/** Regular expressions have these signs, and no sentence for people does. */
const expressionSigns = /[\^$\\]|\[[a-z0-9]-|\(\?|\.\*|pattern/;

function assertWords(detail: string): void {
  assert.doesNotMatch(detail, expressionSigns);
  assert.match(detail, /^(must|is) \S/);
}

describe("the words about input that does not fit", () => {
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
      const errors = wrongTexts.flatMap((text) => check(text)).filter(({ code }) => code === "pattern");
      assert.ok(errors.length > 0, "it takes them all");
      for (const { detail } of errors) {
        assertWords(detail);
        assert.equal(detail.replace(/; it has .* at place 1$/, ""), `must be ${form["x-expected"]}`);
      }
    });

  /** Values of the wrong kind in the places of all members, and one that is not known. */
  const garbage: unknown[] = ["\u0007", -7, null, true, [[]], { x: 1 }, "x".repeat(9_000)];
  for (const id of operationIds) {
    const { body, query } = operationOf(id);
    for (const [part, schema] of [
      ["body", body],
      ["query", query],
    ] as const) {
      const { properties } = (schema ?? {}) as { properties?: Schema };
      if (schema === undefined || properties === undefined) continue;
      it(`of ${id}'s ${part} is words`, () => {
        const check = createValidator(`${id} ${part}`, schema);
        const values = [
          ...garbage,
          ...garbage.map((value) =>
            Object.fromEntries([...Object.keys(properties), "of no use"].map((name) => [name, value])),
          ),
        ];
        const details = values.flatMap((value) => check(structuredClone(value))).map(({ detail }) => detail);
        assert.ok(details.length > 0);
        for (const detail of details) assertWords(detail);
      });
    }
  }
});
