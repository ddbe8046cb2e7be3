import type { User } from "../../contract/types.ts";
import { callWithTag } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";

export const members = ["display_name", "role"] as const;

export type UserChange = Partial<Pick<User, (typeof members)[number]>>;

/** A user as read, with the ETag of that. */
export interface Reading {
  readonly value: User;
  readonly etag: string | null;
}

export interface Saved extends Reading {
  /** True: nothing was saved, because another user has changed the same members; `value` has the current ones. */
  readonly isConflict: boolean;
}

/** Saves the change unless another user has changed one of the members since `base` was read. */
export async function saveUser({ value, etag }: Reading, change: UserChange): Promise<Saved> {
  const params = { id: value.id };
  try {
    const saved = await callWithTag("updateUser", { params, body: change }, { ifMatch: etag });
    return { ...saved, isConflict: false };
  } catch (error) {
    if (codeOf(error) !== "etag_mismatch") throw error;
  }
  const now = await callWithTag("getUser", { params });
  if (members.some((member) => now.value[member] !== value[member])) return { ...now, isConflict: true };
  // Only members that are not edited here differ, such as the time left of a lock.
  return saveUser({ value: now.value, etag: null }, change);
}
