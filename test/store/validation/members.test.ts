import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  filledIn,
  onlyKnown,
  tolerant,
  unknownMembers,
  withUnknown,
} from "../../../src/store/validation/members.ts";

const schema = {
  type: "object",
  additionalProperties: false,
  required: ["people"],
  properties: {
    people: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        properties: {
          id: { type: "string" },
          factor: {
            oneOf: [
              { type: "null" },
              { type: "object", properties: { secret: { type: "string" }, codes: { type: "array" } } },
            ],
          },
        },
      },
    },
    floors: { type: "object", additionalProperties: { type: "string" } },
  },
};

const before = {
  mood: "fine",
  people: [
    { id: "a", badge: 1, factor: { secret: "s", codes: [1, 2], device: "phone" } },
    { id: "b", badge: 2, factor: null },
  ],
  floors: { pump: "1.0.0" },
};

describe("members that are not known", () => {
  it("are found all the way down, and not among the keys of a map", () => {
    assert.deepEqual(unknownMembers(schema, before), [
      "/mood",
      "/people/0/badge",
      "/people/0/factor/device",
      "/people/1/badge",
    ]);
  });

  it("outlive changes by which the known ones are made anew, with the records that they belong to", () => {
    const after = {
      people: [
        { id: "b", factor: { secret: "new" } },
        { id: "c", factor: null },
        { id: "a", factor: { secret: "s", codes: [2] } },
      ],
      floors: { valve: "2.0.0" },
    };
    assert.deepEqual(withUnknown<object>(schema, before, after), {
      mood: "fine",
      people: [
        { id: "b", badge: 2, factor: { secret: "new" } },
        { id: "c", factor: null },
        { id: "a", badge: 1, factor: { secret: "s", codes: [2], device: "phone" } },
      ],
      floors: { valve: "2.0.0" },
    });
  });

  it("do not go over to another thing in the same place", () => {
    const [ana] = before.people;
    const after = { ...before, people: [{ ...ana, factor: { secret: "other", codes: [] } }] };
    const { people } = withUnknown<object>(schema, before, after) as typeof after;
    assert.deepEqual(people[0]?.factor, { secret: "other", codes: [] });
  });

  it("cost nothing where there are none: the same object comes back", () => {
    const known = { people: [{ id: "a", factor: null }], floors: {} };
    const after = { ...known, people: [...known.people] };
    assert.equal(withUnknown(schema, known, after), after);
    assert.equal(onlyKnown(schema, known), known);
  });

  it("are not shown", () => {
    assert.deepEqual(onlyKnown<object>(schema, before), {
      people: [
        { id: "a", factor: { secret: "s", codes: [1, 2] } },
        { id: "b", factor: null },
      ],
      floors: { pump: "1.0.0" },
    });
    const plain = { id: "c", factor: null };
    assert.deepEqual(onlyKnown<object>(schema, { people: [plain, { ...plain, badge: 3 }] }), {
      people: [plain, plain],
    });
  });

  it("are no error of a file, of which a wrong type still is one", () => {
    const { properties } = tolerant(schema);
    assert.equal("additionalProperties" in tolerant(schema), false);
    assert.equal("additionalProperties" in properties.people.items, false);
    assert.deepEqual(properties.floors, schema.properties.floors);
    const strict = { type: "object", additionalProperties: false };
    assert.deepEqual(tolerant({ oneOf: [{ type: "null" }, strict] }), {
      oneOf: [{ type: "null" }, { type: "object" }],
    });
  });
});

describe("a document that was in the newer form before", () => {
  it("keeps what it had there, and is given only what it lacks", () => {
    const members = { mood: "changed", list: [{ id: "a", mood: "changed" }, { id: "b" }] };
    const migrated = { mood: "begun", list: members.list.map(({ id }) => ({ id, mood: "begun" })), more: 1 };
    assert.deepEqual(filledIn(members, migrated), {
      mood: "changed",
      list: [
        { id: "a", mood: "changed" },
        { id: "b", mood: "begun" },
      ],
      more: 1,
    });
  });
});
