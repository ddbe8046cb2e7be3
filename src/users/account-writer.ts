import { isOfStorage } from "../contract/errors.ts";
import type { Document } from "../store/documents/document.ts";
import type { Account, AccountsState } from "./account.ts";
import { inState, keepingAnAdministrator, replaced } from "./accounts-state.ts";

/**
 * Who makes a change. While the disk takes no write, local root's way of letting a user in is held in memory, and so are
 * the steps that this user then has to take.
 */
export type Maker = "local-root" | "owner" | "other";

export interface Changed {
  account: Account;
  /** It is in memory alone: lost when the agent ends, and written when the disk can be written. */
  isHeld: boolean;
}

/** Changes one account at a time. At least one enabled administrator remains, once there has been one. */
export interface AccountWriter {
  /** Throws `not_found`, `last_admin`, what `check` throws, and `storage_full`, `storage_unwritable` unless it is held. */
  change(
    id: string,
    change: (present: Account) => Account,
    options?: { maker?: Maker | undefined; check?: ((present: Account) => void) | undefined },
  ): Promise<Changed>;
}

export interface AccountWriterOptions {
  document: Document<AccountsState>;
  now: () => Date;
  /** The process ends with one command: what it held in memory would be lost at once. */
  forOneCommand?: boolean | undefined;
}

export function createAccountWriter({ document, now, forOneCommand }: AccountWriterOptions): AccountWriter {
  const held = new Set<string>();
  const mayHold = (id: string, maker: Maker): boolean => {
    if (forOneCommand) return false;
    // One write takes every account.
    if (document.trouble() === null) held.clear();
    return maker === "local-root" || (maker === "owner" && held.has(id));
  };
  return {
    change: async (id, change, { maker = "other", check } = {}) => {
      const updated_at = now().toISOString();
      const changed = (state: AccountsState): AccountsState => {
        const present = inState(state, id);
        check?.(present);
        return keepingAnAdministrator(state, replaced(state, { ...change(present), updated_at }));
      };
      const isLasting = !mayHold(id, maker);
      const written = await document.update(changed).catch((error: unknown) => {
        if (isLasting || !isOfStorage(error)) throw error;
        document.note(changed, 0);
        held.add(id);
        return null;
      });
      return { account: inState(written ?? document.read(), id), isHeld: written === null };
    },
  };
}
