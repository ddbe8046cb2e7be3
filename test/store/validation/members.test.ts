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

  const badged = (one: object) => [{ ...one, name: "n", badge: 1 }];
  const plain = { type: "array", items: { type: "object" } };
  it("go with records of an id, or of one user, and with no others", () => {
    for (const [what, former, later, of, isKept] of [
      ["by their id", badged({ id: "a" }), { id: "a", name: "n" }, records, true],
      ["by that of their user", badged({ user_id: "a" }), { user_id: "a", name: "n" }, records, true],
      ["by nothing", badged({}), { name: "n" }, records, false],
      ["by no number", badged({ id: 7 }), { id: 7, name: "n" }, records, false],
      ["by users", badged({ id: "a", user_id: "u" }), { id: "b", user_id: "u", name: "n" }, records, false],
      ["of no list", [{ id: "a", badge: 1 }], { id: "a" }, { type: "array" }, false],
      ["of any objects", [{ id: "a", badge: 1 }], { id: "a" }, plain, false],
      ["that are texts", ["a"], "b", records, false],
    ] as const)
      assert.deepEqual(
        carriedTo([...former], [later], of),
        { list: isKept ? [{ ...(later as object), badge: 1 }] : [later] },
        what,
      );
  });

  const one = { properties: { a: {}, part: { properties: { x: {}, y: {} } } } };
  const part = { x: 1, y: 2, z: 3 };
  const rows: readonly (readonly [former: object, later: object, carried?: object])[] = [
    [
      { a: 1, mood: "old" },
      { a: 2, mood: "new" },
    ],
    [{ a: 1, mood: undefined }, { a: 2 }, { a: 2, mood: undefined }],
    [{ part }, { part: { x: 1, y: 9 } }, { part: { x: 1, y: 9, z: 3 } }],
    [{ part }, { part: { x: 9, y: 2 } }, { part: { x: 9, y: 2, z: 3 } }],
    [{ part }, { part: { x: 8, y: 9 } }],
    [{ part }, { part: {} }],
    [{ part }, {}],
    [{ part }, { part: null }],
    [{ part: null }, { part: { x: 1 } }],
  ];
  it("stay as they are where they are changed by one who knows them, and where all is new", () => {
    for (const [former, later, carried = later] of rows)
      assert.deepEqual(withUnknown<object>(one, former, later), carried);
    // It costs nothing if there are none: the same object comes back.
    const later = { a: 2, part };
    assert.equal(withUnknown<object>(one, { a: 1, part }, later), later);
    const known = { people: [{ id: "a", factor: null }], floors: {} };
    const after = { ...known, people: [...known.people] };
    assert.deepEqual(
      [withUnknown(schema, known, after) === after, onlyKnown(schema, known) === known],
      [true, true],
    );
  });

  it("are not shown", () => {
    assert.deepEqual(onlyKnown<object>(schema, before), {
      people: [
        { id: "a", factor: { secret: "s", codes: [1, 2] } },
        { id: "b", factor: null },
      ],
      floors: { pump: "1.0.0" },
    });
    const known = { id: "c", factor: null };
    const shown = onlyKnown<object>(schema, { people: [known, { ...known, badge: 3 }] });
    assert.deepEqual(shown, { people: [known, known] });
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
