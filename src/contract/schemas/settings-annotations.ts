/** The least role that may change a member; an administrator may change all. */
export const byOperator = { "x-writer": "operator" } as const;
export const byAdmin = { "x-writer": "admin" } as const;

/** A part of the settings, whole with nothing given. */
export const group = { type: "object", additionalProperties: false, default: {} } as const;
