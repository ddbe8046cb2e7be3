import { isUsername, passwordHash, username as usernameSchema } from "../../contract/shapes.ts";
import { jsonOf } from "../../contract/text/json-of.ts";
import type { Accounts } from "../users/accounts.ts";
import { isCostlier, mostWork, type Passwords } from "../users/passwords.ts";

/** Reads the systemd credential `steward.admin`, JSON `{username, password_hash}`. Throws an Error that names the fault. */
export function readProvisioned(text: string): { username: string; passwordHash: string } {
  const { username, password_hash: hash } = jsonOf(text, (why) => new Error(`it ${why}`)) as Record<
    string,
    unknown
  >;
  if (typeof username !== "string" || !isUsername(username)) {
    throw new Error(`username must be ${usernameSchema["x-expected"]}`);
  }
  if (typeof hash !== "string" || !new RegExp(passwordHash.pattern).test(hash)) {
    throw new Error("password_hash must be an argon2id hash in PHC form");
  }
  if (isCostlier(hash)) {
    throw new Error(
      `password_hash has m times t above ${mostWork}, so each try of it would keep others waiting: make it with \`steward hash-password\``,
    );
  }
  return { username, passwordHash: hash };
}

/**
 * Creates the provisioned administrator if there is none yet. Throws `setup_already_done`, `username_taken`, and an
 * Error for a fault of the credential. It verifies once against the hash, because one that cannot be checked would lock
 * the administrator out.
 */
export async function provision(accounts: Accounts, passwords: Passwords, text: string): Promise<string> {
  const { username, passwordHash: hash } = readProvisioned(text);
  await passwords.verify(hash, "", null);
  await accounts.createFirst({ username }, { hash });
  return username;
}
