import type { Passkeys } from "../../accounts/second-factor/passkeys.ts";
import { type Handlers, personOf } from "../call.ts";
import { roleOf } from "./auth.ts";

export function createPasskeyHandlers(passkeys: Passkeys) {
  return {
    beginPasskey: ({ actor, context }) => passkeys.begin(personOf(actor).account, context),
    addPasskey: async ({ actor, body, context, note }) => {
      const added = await passkeys.add(personOf(actor).account, body, context);
      note({ details: { ...roleOf(actor).details, passkey: added.name } });
      return added;
    },
    removePasskey: async ({ actor, params, note }) => {
      const removed = await passkeys.remove(personOf(actor).account, params.passkey);
      note({ details: { ...roleOf(actor).details, passkey: removed.name } });
      return undefined;
    },
  } satisfies Partial<Handlers>;
}
