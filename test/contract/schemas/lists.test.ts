import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { errorCodesOf } from "../../../src/contract/openapi/answers.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import { type OperationId, operationIds, operationOf } from "../../../src/contract/operations.ts";

/** Views of one thing, which say several of something besides: bounded by what they are of, and no list to page through. */
const views: readonly OperationId[] = [
  "getHealth",
  "getStatus",
  "getReadiness",
  "getSystemFacts",
  "getTls",
  "getTimeSync",
  "getUpdates",
  // A user has a few passkeys, within a bound.
  "getTwoFactor",
  // As many as the settings and the host file name.
  "getNotifications",
  // One for each bar that the caller draws.
  "countEvents",
  // One for each unit that may be read.
  "countLogs",
  // The users and API tokens that a file of the device cannot say, besides those that it says.
  "exportConfiguration",
];

type Schema = Readonly<Record<string, unknown>> & { properties?: Record<string, Schema>; items?: Schema };

function propertiesOf(schema: object | undefined): Record<string, Schema> {
  return (schema as Schema | undefined)?.properties ?? {};
}

/** True where a stranger would take the answer for a list: an array, or an object with an array of objects in it. */
function looksLikeList({ method, response, query }: Operation): boolean {
  if (method !== "GET" || response.stream) return false;
  const schema = response.schema as Schema | undefined;
  const isArrayOfObjects = ({ type, items }: Schema) => type === "array" && items?.type === "object";
  const members = Object.values(propertiesOf(schema));
  const parameters = Object.keys(propertiesOf(query));
  return (
    schema?.type === "array" ||
    members.some(isArrayOfObjects) ||
    parameters.some((name) => ["limit", "cursor", "offset", "page"].includes(name))
  );
}

/** The faults of the operation as one that lists; empty when it has the common form. */
function faultsOf(operation: Operation): string[] {
  const { schema } = operation.response;
  const { items, total, next_cursor } = propertiesOf(schema);
  const { limit, cursor } = propertiesOf(operation.query);
  const required = (schema as { required?: string[] } | undefined)?.required ?? [];
  const checks: [boolean, string][] = [
    [items?.type === "array" && items.items?.type === "object", "items is no list of objects"],
    [["items", "total", "next_cursor"].every((name) => required.includes(name)), "a member may be absent"],
    [/^integer(,null)?$/.test(String(total?.type)), "total is no number"],
    [
      total?.type === "integer" || String(total?.description).includes("null:"),
      "nothing says why total is null",
    ],
    [String(next_cursor?.type) === "string,null", "next_cursor is no text"],
    [limit?.minimum === 1 && limit.maximum === 200 && limit.default !== undefined, "limit is not 1 to 200"],
    [cursor?.type === "string" && Number(cursor.maxLength) <= 512, "cursor is not bounded"],
    [errorCodesOf(operation).includes("invalid_cursor"), "a foreign cursor is not announced"],
  ];
  return checks.flatMap(([isRight, fault]) => (isRight ? [] : [fault]));
}

describe("an operation that lists", () => {
  const lists = operationIds.filter((id) => id.startsWith("list"));

  it("is called so, and no other answers with a list of its own making", () => {
    const like = operationIds.filter((id) => looksLikeList(operationOf(id)));
    assert.deepEqual(like.filter((id) => !lists.includes(id) && !views.includes(id)).sort(), []);
    assert.deepEqual([...lists].sort(), [
      ...["listEvents", "listLogs", "listSessions", "listTokens", "listUpdateHistory", "listUsers"],
    ]);
  });

  for (const id of lists)
    it(`${id} has items, total and next_cursor, and takes limit and cursor`, () => {
      assert.deepEqual(faultsOf(operationOf(id)), []);
    });

  it("of another make would be found", () => {
    const entries = { type: "object", properties: { entries: { type: "array", items: { type: "object" } } } };
    const operation: Operation = {
      ...{ method: "GET", path: "/api/things", summary: "Things", description: "", access: "session" },
      response: { status: 200, schema: entries },
    };
    assert.equal(looksLikeList(operation), true);
    assert.ok(faultsOf(operation).length > 5);
  });
});
