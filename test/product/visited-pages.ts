import assert from "node:assert/strict";
import type { Account } from "../../src/accounts/users/account.ts";
import type { Settings } from "../../src/contract/types.ts";
import { createEndedSessions } from "../../src/product/ended-sessions.ts";
import type { PageRequest } from "../../src/product/page-request.ts";
import { createVisits, type ProductPage } from "../../src/product/visits.ts";
import { ana, bob, context, sessionsAt } from "../accounts/sessions-at.ts";

const signIn = "https://edge-7.example.net:8443";
const title = { en: "Pump" };
export const pump: ProductPage = {
  ...{ name: "pump", title, origin: "https://edge-7.example.net:444", signIn },
  ...{ role: "operator", secretFile: null },
};
export const far: ProductPage = { ...pump, name: "far", origin: "https://far.example.net" };

export const script: PageRequest = {
  ...{ method: "GET", target: "/", origin: undefined, accept: undefined },
  ...{ site: "same-origin", mode: "cors", dest: "empty" },
};
export const opens: PageRequest = { ...script, site: "none", mode: "navigate", dest: "document" };

/** The facts of an account that decide. */
export type Facts = Pick<Account, "id" | "enabled" | "role" | "password_state" | "two_factor" | "provider">;

export const operator: Facts = {
  ...{ id: ana, enabled: true, role: "operator", password_state: "chosen", two_factor: null, provider: null },
};

export async function world() {
  const time = { now: 1_000 };
  const { sessions } = await sessionsAt(time);
  const accounts = new Map([ana, bob].map((id) => [id, { ...operator, id }]));
  const security = { require_2fa: "none" as Settings["security"]["require_2fa"] };
  const visits = createVisits({
    pages: [pump, far],
    accounts: { find: (id: string) => accounts.get(id) as Account | undefined },
    sessions,
    security: () => security as Settings["security"],
    uptime: () => time.now,
    visited: (visit) => ended.visited(visit),
  });
  const judges = new Set<() => void>();
  const ended = createEndedSessions({
    visits: sessions.visits,
    isAllowed: visits.isAllowed,
    begin: (judge) => {
      judges.add(judge);
      return () => void judges.delete(judge);
    },
  });
  const { session } = sessions.open(ana, context);
  const enter = (page = pump): string => {
    const value = visits.finish(page, visits.begin(page, session));
    assert.ok(value);
    return value;
  };
  const set = (facts: Partial<Facts>) => accounts.set(ana, { ...operator, ...facts });
  return { time, sessions, accounts, security, visits, session, enter, set, ended, judges };
}

export type World = Awaited<ReturnType<typeof world>>;

/** Changes that come while a browser has a cookie or a code, and the verdict after each. */
export const changes: readonly (readonly [what: string, happen: (w: World) => unknown, verdict: string])[] = [
  ["nothing", () => undefined, "visitor"],
  ["a higher role", ({ set }) => set({ role: "admin" }), "visitor"],
  ["a lower role", ({ set }) => set({ role: "readonly" }), "role"],
  ["the account is gone", ({ accounts }) => accounts.delete(ana), "unknown"],
  ["the account is disabled", ({ set }) => set({ enabled: false }), "unknown"],
  ["a one-use password", ({ set }) => set({ password_state: "initial" }), "unknown"],
  ["a factor is required", ({ security }) => Object.assign(security, { require_2fa: "all" }), "unknown"],
  ["the session is ended", ({ sessions, session }) => sessions.endOne(ana, session.id), "unknown"],
  ["it is unused for too long", ({ time }) => Object.assign(time, { now: 1_000 + 3_600 }), "unknown"],
];
