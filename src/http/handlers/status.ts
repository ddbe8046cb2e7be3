import type { Health, Role, Status, Updates } from "../../contract/types.ts";
import { type Actor, type Handlers, roleOf } from "../call.ts";
import { type EventReader, latestEvents } from "./events.ts";
import { viewOf } from "./updates.ts";

interface StatusHandlersOptions {
  updates: { status(): Updates };
  events: EventReader;
  /** `isDetailed` for callers who are known. */
  health: (isDetailed: boolean) => Health;
  /** Throws `not_ready`. */
  requireReady: (isDetailed: boolean) => Promise<void>;
  /** The summary of the device, as far as the caller may see it. */
  status: (seen: Seen) => Promise<Status>;
}

/** The rights of a caller to details that not every caller may see. */
export interface Seen {
  readonly updates: Updates;
  readonly mayNameUsers: boolean;
  readonly latest: Status["latest"];
  /** The least, for a caller without one. */
  readonly role: Role;
}

export function createStatusHandlers(options: StatusHandlersOptions) {
  const { updates } = options;
  const healthFor = (actor: Actor): Health => options.health(actor.kind !== "anonymous");
  return {
    getHealth: ({ actor }) => healthFor(actor),
    getReadiness: async ({ actor }) => {
      await options.requireReady(actor.kind !== "anonymous");
      return healthFor(actor);
    },
    getStatus: async ({ actor }) =>
      options.status({
        updates: viewOf(updates.status(), actor),
        mayNameUsers: mayNameUsers(actor),
        role: roleOf(actor) ?? "readonly",
        latest: await latestEvents(options.events, actor),
      }),
  } satisfies Partial<Handlers>;
}

/** The same as for `listUsers`: administrators, and their tokens that may read users. */
function mayNameUsers(actor: Actor): boolean {
  return roleOf(actor) === "admin" && (actor.kind !== "token" || actor.token.scopes.includes("users:read"));
}
