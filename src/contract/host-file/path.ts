export const path = {
  type: "string",
  pattern: "^/[^\\u0000]*$",
  "x-expected": "an absolute path",
} as const;
