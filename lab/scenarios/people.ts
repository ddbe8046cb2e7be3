import { codeOf } from "../basics/authenticator.ts";
import type { Guest, HttpAnswer, Ran } from "../machines/guest/vocabulary.ts";

/** The password of everyone in these scenarios. */
export const password = "green tractor sings loudly";

/** Lines for a command's standard input. */
export const typing = (...lines: readonly string[]) => ({ input: lines.map((line) => `${line}\n`).join("") });

/** Adds a user as root, with that password. */
export function addUser(guest: Guest, name = "root-admin", role = "admin"): Promise<Ran> {
  const words = ["user", "add", name, "--role", role, "--password-stdin"];
  return guest.run("/usr/bin/steward", words, typing(password));
}

/** Signs in over HTTP, with that password unless another is given. */
export function signIn(guest: Guest, username = "root-admin", given: object = {}): Promise<HttpAnswer> {
  return guest.http("/api/auth/login", { body: { username, password, ...given } });
}

/** Gives a user a second factor, and returns its secret. */
export async function enrolled(guest: Guest, name: string): Promise<string> {
  const begin = ["-o", "json", "user", "2fa", "setup", name, "--begin", "--password-stdin"];
  const setup = await guest.run("/usr/bin/steward", begin, typing(password));
  const { secret } = JSON.parse(setup.stdout) as { secret: string };
  const enable = ["user", "2fa", "enable", name, "--password-stdin", "--allow-unsynchronised-clock"];
  const ran = await guest.run("/usr/bin/steward", enable, typing(password, codeOf(secret)));
  guest.check(`${name} has a second factor`, ran.status === 0, ran);
  return secret;
}
