import type { roleNames } from "./shapes.ts";

/** The scopes of API tokens, and the roles whose users can have a token with each. */
export const scopes = {
  "logs:read": ["admin", "operator", "readonly"],
  "metrics:read": ["admin", "operator", "readonly"],
  "events:read": ["admin", "operator"],
  "system:read": ["admin", "operator", "readonly"],
  "system:write": ["admin", "operator"],
  "time:write": ["admin", "operator"],
  "updates:check": ["admin", "operator"],
  "updates:apply": ["admin"],
  "product:use": ["admin", "operator", "readonly"],
  "configuration:read": ["admin"],
  "users:read": ["admin"],
  "users:write": ["admin"],
} as const satisfies Record<string, readonly (typeof roleNames)[number][]>;

export type Scope = keyof typeof scopes;

/** Those that a user cannot give away: only root makes tokens with them. */
export const fleetScopes = ["users:write"] as const satisfies readonly Scope[];

export const userScopes = (Object.keys(scopes) as Scope[]).filter(
  (scope) => !(fleetScopes as readonly Scope[]).includes(scope),
);

export const scopeNames = Object.keys(scopes) as [Scope, ...Scope[]];
