import type { StoredSession } from "../auth/session.ts";
import type { Origin } from "../auth/sessions.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Input, Output, Role } from "../contract/types.ts";
import type { Account } from "../users/account.ts";
import type { Source } from "../users/passwords.ts";

/** Who is calling. `local-root` is whoever could open the unix socket: root and the service's own user. */
export type Actor =
  | { kind: "anonymous" }
  | { kind: "local-root" }
  | { kind: "user"; account: Account; session: StoredSession };

/** One call of an operation: its validated input and who makes it from where. */
export interface Call<Id extends OperationId> extends Input<Id> {
  actor: Actor;
  origin: Origin;
  source: Source;
  /** Throws `etag_mismatch` when the caller's If-Match is not about `present`. */
  ifMatch: (present: object) => void;
}

export type Handler<Id extends OperationId> = (call: Call<Id>) => Output<Id> | Promise<Output<Id>>;

/** One handler an operation: a missing one does not compile. */
export type Handlers = { [Id in OperationId]: Handler<Id> };

/** The rights of the caller; an anonymous one has none. */
export function roleOf(actor: Actor): Role | undefined {
  if (actor.kind === "local-root") return "admin";
  return actor.kind === "user" ? actor.account.role : undefined;
}
