import { userId } from "../../contract/shapes.ts";
import type { Document } from "../../store/documents/document.ts";
import type { DocumentKind } from "../../store/documents/document-kind.ts";
import { objectOf } from "../../store/validation/object-schema.ts";
import { isUsable, noUsedSteps, type UsedSteps, withBurnt, withUsed } from "./used-steps.ts";

interface UsedCodesState {
  readonly users: readonly { readonly user_id: string; readonly used: UsedSteps }[];
}

/** If it is lost, all codes of the moment count as used, see lost-codes.ts; nothing else depends on it. */
export const usedCodesKind: DocumentKind<UsedCodesState> = {
  name: "used-codes",
  formatVersion: "1.0.0",
  schema: objectOf({
    users: {
      type: "array",
      items: objectOf({
        user_id: userId,
        used: objectOf({
          steps: { type: "array", items: { type: "integer" } },
          highest: { type: ["integer", "null"] },
          epoch: { type: "integer" },
        }),
      }),
    },
  }),
  defaults: { users: [] },
  onLoss: "defaults",
};

/** Remembers the time steps whose codes were used, so that each code works once, also if the clock is set back. */
export type UsedCodes = ReturnType<typeof createUsedCodes>;

export function createUsedCodes(document: Document<UsedCodesState>) {
  const usedBy = (id: string): UsedSteps =>
    document.read().users.find(({ user_id }) => user_id === id)?.used ?? noUsedSteps;
  /** In one write. */
  const change = async (ids: readonly string[], next: (used: UsedSteps) => UsedSteps): Promise<void> => {
    document.note((state) => ids.reduce((former, id) => changed(former, id, next), state), 0);
    await document.save();
  };
  return {
    /** Uses the first unused step, in memory at once, so never twice, then on disk if possible. Undefined: none is. */
    use: async (id: string, steps: readonly number[], epoch: number): Promise<number | undefined> => {
      const step = steps.find((candidate) => isUsable(usedBy(id), candidate, epoch));
      if (step === undefined) return undefined;
      const others = steps.filter((other) => other !== step);
      await change([id], (used) => withUsed(withBurnt(used, others), step, epoch));
      return step;
    },
    /** Makes steps unusable that were never accepted. */
    burn: (id: string, steps: readonly number[]): Promise<void> =>
      change([id], (used) => withBurnt(used, steps)),
    /** The same for several users, in one write. */
    burnForAll: (ids: readonly string[], steps: readonly number[]): Promise<void> =>
      change(ids, (used) => withBurnt(used, steps)),
    /** The secret was removed; its used steps mean nothing more. */
    forget: (id: string): void => {
      document.note(({ users }) => ({ users: users.filter(({ user_id }) => user_id !== id) }), 0);
    },
  };
}

function changed(
  { users }: UsedCodesState,
  id: string,
  change: (used: UsedSteps) => UsedSteps,
): UsedCodesState {
  const used = change(users.find(({ user_id }) => user_id === id)?.used ?? noUsedSteps);
  return { users: [...users.filter(({ user_id }) => user_id !== id), { user_id: id, used }] };
}
