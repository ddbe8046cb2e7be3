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

  it("are none of what has another form than the schema says", () => {
    for (const value of [null, 7, "text", [], [{ badge: 1 }]]) {
      assert.deepEqual(unknownMembers(schema, value), []);
      assert.equal(onlyKnown(schema, value), value);
      assert.equal(withUnknown<unknown>(schema, before, value), value);
      assert.equal(withUnknown<unknown>(schema, value, before), before);
    }
    assert.deepEqual(unknownMembers(schema, { people: { badge: 1 } }), []);
    assert.deepEqual(unknownMembers({ type: "array" }, [{ badge: 1 }]), []);
    assert.deepEqual(unknownMembers({}, { badge: 1 }), []);
    const list = [{ badge: 1 }];
    assert.equal(onlyKnown<unknown>({ type: "array" }, list), list);
    assert.equal(onlyKnown<unknown>({}, list[0]), list[0]);
    const mixed = { people: ["text", null, { id: "a", badge: 1 }] };
    assert.deepEqual(unknownMembers(schema, mixed), ["/people/2/badge"]);
    assert.deepEqual(onlyKnown<unknown>(schema, mixed), { people: ["text", null, { id: "a" }] });
  });

  const records = { type: "array", items: { properties: { id: {}, user_id: {}, name: {} } } };
  const carriedTo = (former: unknown[], later: unknown[], of: object = records) =>
    withUnknown<unknown>({ properties: { list: of } }, { list: former }, { list: later });

  it("go with records by their id, or else that of their user, and with no others", () => {
    const name = "n";
    assert.deepEqual(carriedTo([{ id: "a", name, badge: 1 }], [{ id: "a", name }]), {
      list: [{ id: "a", name, badge: 1 }],
    });
    assert.deepEqual(carriedTo([{ user_id: "a", name, badge: 1 }], [{ user_id: "a", name }]), {
      list: [{ user_id: "a", name, badge: 1 }],
    });
    for (const [one, other] of [
      [{ name, badge: 1 }, { name }],
      [
        { id: 7, name, badge: 1 },
        { id: 7, name },
      ],
      [
        { id: "a", user_id: "u", name, badge: 1 },
        { id: "b", user_id: "u", name },
      ],
    ]) {
      const list = [other];
      assert.deepEqual(carriedTo([one], list), { list });
    }
    const texts = ["a", "b"];
    assert.deepEqual(carriedTo(["a"], texts), { list: texts });
    assert.deepEqual(carriedTo([{ id: "a", badge: 1 }], [{ id: "a" }], { type: "array" }), {
      list: [{ id: "a" }],
    });
    const plain = { type: "array", items: { type: "object" } };
    assert.deepEqual(carriedTo([{ id: "a", badge: 1 }], [{ id: "a" }], plain), { list: [{ id: "a" }] });
  });

  it("stay as they are where they are changed by one who knows them, and where all is new", () => {
    const one = { properties: { a: {}, part: { properties: { x: {}, y: {} } } } };
    const carried = (former: object, later: object) => withUnknown<object>(one, former, later);
    assert.deepEqual(carried({ a: 1, mood: "old" }, { a: 2, mood: "new" }), { a: 2, mood: "new" });
    assert.deepEqual(carried({ a: 1, mood: undefined }, { a: 2 }), { a: 2, mood: undefined });
    const part = { x: 1, y: 2, z: 3 };
    assert.deepEqual(carried({ part }, { part: { x: 1, y: 9 } }), { part: { x: 1, y: 9, z: 3 } });
    assert.deepEqual(carried({ part }, { part: { x: 9, y: 2 } }), { part: { x: 9, y: 2, z: 3 } });
    assert.deepEqual(carried({ part }, { part: { x: 8, y: 9 } }), { part: { x: 8, y: 9 } });
    assert.deepEqual(carried({ part }, { part: {} }), { part: {} });
    assert.deepEqual(carried({ part }, {}), {});
    assert.deepEqual(carried({ part }, { part: null }), { part: null });
    assert.deepEqual(carried({ part: null }, { part: { x: 1 } }), { part: { x: 1 } });
    const later = { a: 2, part };
    assert.equal(carried({ a: 1, part }, later), later);
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
  it("is given only what it lacks, and keeps what is no object or list of the same length", () => {
    for (const [members, migrated] of [
      [[1], [1, 2]],
      [[1], { 0: 2 }],
      [{ a: 1 }, [2]],
      [7, { a: 1 }],
      [{ a: 1 }, null],
      [null, { a: 1 }],
    ])
      assert.equal(filledIn(members, migrated), members);
    assert.deepEqual(filledIn([{ a: 1 }, 2], [{ b: 2 }, 3]), [{ a: 1, b: 2 }, 2]);
    assert.deepEqual(filledIn({ a: { b: 1 } }, { a: { b: 2, c: 3 } }), { a: { b: 1, c: 3 } });
  });
});
