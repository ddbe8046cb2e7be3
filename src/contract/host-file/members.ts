import { seen } from "../text/visible-text.ts";

export const path = { type: "string", pattern: "^/[^\\u0000]*$", "x-expected": "an absolute path" } as const;

export const port = { type: "integer", minimum: 1, maximum: 65_535 } as const;

/** A decision that has a usual answer; the example is the other one. */
export function flag(isUsual: boolean, description: string) {
  return { type: "boolean", default: isUsual, description, examples: [!isUsual] } as const;
}

/** A text of a person's, on one line. */
export function seenText(mostCharacters: number) {
  return {
    type: "string",
    pattern: `${seen}(?! )[^\\p{Cc}\\p{Cf}]{1,${mostCharacters}}(?<! )$`,
    "x-expected": `a text of up to ${mostCharacters} characters that can be seen, without control characters and blanks around it`,
  } as const;
}

/** A host file that decides nothing, as an absent one counts; the schema has its defaults from here. */
export const plainHostFile = {
  names: [],
  trusted_proxies: [],
  https: { port: 8443, hsts: false },
  log_units: [],
  product: { name: "steward", pages: [], units: [], reports: [] },
  kernel_rescue: true,
  network: {},
  notify: { allow_local_servers: false, allow_http: false },
  telemetry: {},
  time: {},
  update: { allow_local_servers: false, redirect_origins: [] },
};
