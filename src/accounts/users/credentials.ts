import type { Role } from "../../contract/types.ts";
import type { PasswordState } from "./account.ts";
import { type ClientKey, makeInitialPassword, type Passwords } from "./passwords.ts";

/** Throws if this user must not use the password. */
export type CheckPassword = (password: string, user: { username: string; role: Role }) => Promise<void>;

export interface Credentials {
  password_hash: string;
  password_state: PasswordState;
}

/** The hash of a password that passed the rules, or of a one-use password that is made if none is given. */
export async function newCredentials(
  options: { checkPassword: CheckPassword; passwords: Passwords },
  user: { username: string; role: Role },
  password: string | undefined,
  clientKey: ClientKey,
): Promise<{ credentials: Credentials; initialPassword: string | undefined }> {
  if (password !== undefined) {
    await options.checkPassword(password, user);
    const password_hash = await options.passwords.hash(password, clientKey);
    return { credentials: { password_hash, password_state: "chosen" }, initialPassword: undefined };
  }
  const initialPassword = makeInitialPassword();
  const password_hash = await options.passwords.hash(initialPassword, clientKey);
  return { credentials: { password_hash, password_state: "initial" }, initialPassword };
}
