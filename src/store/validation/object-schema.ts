type Members = Readonly<Record<string, object>>;

/** The schema of an object that has these members, may have the optional ones, and has no others. */
export const objectOf = (members: Members, optional: Members = {}) => ({
  type: "object",
  additionalProperties: false,
  required: Object.keys(members),
  properties: { ...members, ...optional },
});

/** The same, or null in its place. */
export const nullableObjectOf = (...members: Parameters<typeof objectOf>) => ({
  ...objectOf(...members),
  type: ["object", "null"],
});
