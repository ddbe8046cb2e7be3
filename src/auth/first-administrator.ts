import { username as usernameSchema } from "../contract/shapes.ts";
import type { Accounts } from "../users/accounts.ts";

/** A first administrator handed in by whoever provisions the device: the password is known only as its hash. */
export interface ProvisionedAdministrator {
  username: string;
  passwordHash: string;
}

/** Reads the systemd credential `steward.admin`: JSON `{username, password_hash}`. Throws what is wrong with it. */
export function readProvisioned(text: string): ProvisionedAdministrator {
  const { username, password_hash: passwordHash } = JSON.parse(text) as Record<string, unknown>;
  if (typeof username !== "string" || !new RegExp(usernameSchema.pattern).test(username)) {
    throw new Error(`username must be ${usernameSchema.description}`);
  }
  if (typeof passwordHash !== "string" || !phcArgon2id.test(passwordHash)) {
    throw new Error("password_hash must be an argon2id hash in PHC form");
  }
  return { username, passwordHash };
}

const phcArgon2id = /^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/;

/** Makes the provisioned administrator where there is none yet. Throws `setup_already_done`, `username_taken`. */
export async function provision(accounts: Accounts, text: string): Promise<string> {
  const { username, passwordHash } = readProvisioned(text);
  await accounts.createFirst(username, { hash: passwordHash });
  return username;
}
