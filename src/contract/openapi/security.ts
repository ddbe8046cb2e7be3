import type { Access, Operation } from "../operations/operation.ts";
import { roleNames } from "../shapes.ts";

/** The ways in which callers authenticate. */
export const securitySchemes = {
  accessToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "The access token of POST /api/auth/login. The names in the array are the roles of which the user must have one, none of them: any role; `self`: the user must be the one in the path; `local-root`: no token, but root over the unix socket, who may also do what administrators may.",
  },
  apiToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "stw_…",
    description:
      "A token of POST /api/tokens. The name in the array is the scope that it must have, none: any; its owner's role must allow the operation as well.",
  },
} as const;

/**
 * Alternatives, of which one is enough. OpenAPI 3.1 §4.8.30: the array of any scheme may name roles. All names of one array are
 * required, so each role is an alternative.
 */
export function securityOf({ access, scope }: Operation): object[] {
  if (access === "token") return [{ apiToken: [] }];
  return [
    ...(access === "open" ? [{}] : []),
    ...rolesOf(access).map((roles) => ({ accessToken: roles })),
    ...(scope === undefined ? [] : [{ apiToken: [scope] }]),
  ];
}

function rolesOf(access: Exclude<Access, "token">): string[][] {
  if (access === "open" || access === "session") return [[]];
  if (access === "local") return [["local-root"]];
  if (access === "self") return [["self"]];
  if (roleNames.every((role) => access.roles.includes(role))) return [[]];
  return [...access.roles, ...(access.self ? ["self"] : [])].map((role) => [role]);
}
