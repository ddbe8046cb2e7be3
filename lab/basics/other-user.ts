import { statSync } from "node:fs";
import { dirname, join } from "node:path";

const checkout = join(import.meta.dirname, "../..");

/** The reason why a test cannot run a program of this checkout as another user; false: it can. */
export function noOtherUser(): string | false {
  if (process.getuid?.() !== 0) return "only root can run a program as another user";
  if ((statSync(join(checkout, "package.json")).mode & 0o004) === 0)
    return "other users cannot read the files of this checkout";
  for (let directory = checkout; ; directory = dirname(directory)) {
    if ((statSync(directory).mode & 0o001) === 0) return `other users cannot enter ${directory}`;
    if (directory === dirname(directory)) return false;
  }
}
