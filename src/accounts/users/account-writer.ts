import { isOfStorage } from "../../contract/errors.ts";
import type { Document } from "../../store/documents/document.ts";
import { type Account, type AccountsState, inState, replaced } from "./account.ts";
import { keepingAnAdministrator, type SignInFacts } from "./administrators.ts";

/** The maker of a change. If the disk refuses, local root's that let a user in stay in memory, and the user's next steps. */
export type Maker = "local-root" | "owner" | "other";

export interface Changed {
  account: Account;
  /** The change is only in memory: lost when the agent ends, and written when the disk can be written. */
  isHeld: boolean;
}

/**
 * Changes one account at a time. No change shuts the last administrator out; `letsIn`: it may leave them a one-use password.
 * Throws `not_found`, `last_admin`, the errors of `check`, and `storage_full` and `storage_unwritable` unless it is held.
 */
export type ChangeAccount = (
  id: string,
  change: (present: Account) => Account,
  options?: {
    maker?: Maker | undefined;
    check?: ((present: Account) => void) | undefined;
    letsIn?: boolean | undefined;
  },
) => Promise<Changed>;

export function createAccountWriter({
  document,
  now,
  forOneCommand,
  ...facts
}: SignInFacts & {
  document: Document<AccountsState>;
  now: () => Date;
  /** The process ends with one command, so a change held in memory would be lost at once. */
  forOneCommand?: boolean | undefined;
}): ChangeAccount {
  const held = new Set<string>();
  const mayHold = (id: string, maker: Maker): boolean => {
    if (forOneCommand) return false;
    // One write includes every account.
    if (document.trouble() === null) held.clear();
    return maker === "local-root" || (maker === "owner" && held.has(id));
  };
  return async (id, change, { maker = "other", check, letsIn } = {}) => {
    const updated_at = now().toISOString();
    const changed = (state: AccountsState): AccountsState => {
      const present = inState(state, id);
      check?.(present);
      const next = replaced(state, { ...change(present), updated_at });
      return keepingAnAdministrator(state, next, facts, letsIn);
    };
    const isLasting = !mayHold(id, maker);
    const written = await document.update(changed).catch((error: unknown) => {
      if (isLasting || !isOfStorage(error)) throw error;
      document.note(changed, 0);
      held.add(id);
      return null;
    });
    return { account: inState(written ?? document.read(), id), isHeld: written === null };
  };
}
