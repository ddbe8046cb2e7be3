import { createRequire } from "node:module";

interface Argon2 {
  hash: (password: string, ...others: unknown[]) => Promise<string>;
  verify: (phc: string, ...others: unknown[]) => Promise<boolean>;
}

/**
 * Tells `note` of each hash that this process makes from now on, `hash` or `verify` with the cost of what it is held
 * against; the hashing itself is the real one. To be called before an agent of this process has hashed: code imported
 * from a package is settled then.
 */
export function countHashing(note: (word: string) => void): void {
  const require = createRequire(import.meta.url);
  // The agent would use Node's own argon2 where there is one.
  (require("node:crypto") as { argon2?: unknown }).argon2 = undefined;
  const argon2 = require("@node-rs/argon2") as Argon2;
  const { hash, verify } = argon2;
  argon2.hash = (...given) => {
    note("hash");
    return hash(...given);
  };
  argon2.verify = (phc, ...others) => {
    note(`verify ${phc.split("$").slice(0, 4).join("$")}`);
    return verify(phc, ...others);
  };
}
