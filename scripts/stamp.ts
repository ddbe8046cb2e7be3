/** A build names its version and the commit that it was made of. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Stamp {
  readonly version: string;
  readonly commit: string | null;
  /** The commit's, RFC 3339 in UTC. */
  readonly date: string | null;
}

/**
 * The same for each build of one commit. Its version is that of package.json and, as build metadata, the number of
 * commits up to this one: dpkg takes a later commit for newer, and Semantic Versioning takes both for the same release.
 * A whole clone of git is needed for that; elsewhere the version is that of package.json, and `say` gets the reason.
 */
export function stampOf(checkout: string, say: (line: string) => void): Stamp {
  const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as { version: string };
  const alone = (why: string): string => {
    say(`This is built as ${version}, which no other commit can be told from: ${why}.`);
    return version;
  };
  const git = (...words: readonly string[]): string =>
    execFileSync("git", words, { cwd: checkout, encoding: "utf8", stdio: "pipe" }).trim();
  try {
    const [commit = "", seconds = ""] = git("log", "-1", "--format=%H %ct").split(" ");
    const date = new Date(Number(seconds) * 1_000).toISOString();
    const isShallow = git("rev-parse", "--is-shallow-repository") === "true";
    if (isShallow)
      return { version: alone("the clone is shallow; see `git fetch --unshallow`"), commit, date };
    const changes = git("status", "--porcelain", "--untracked-files=no") === "" ? "" : ".modified";
    const count = git("rev-list", "--count", "HEAD");
    return { version: `${version}+git${count}.${commit.slice(0, 8)}${changes}`, commit, date };
  } catch (error) {
    const [why = ""] = (error instanceof Error ? error.message : String(error)).trim().split("\n").slice(-1);
    return { version: alone(`git does not know this directory (${why})`), commit: null, date: null };
  }
}
