import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runSteward } from "../../cli/run-steward.ts";
import { type HostileTar, writeHostileTar } from "./hostile-tars.ts";

/** A repository whose releases are validly signed, whatever is in them. */
export interface PublishedTars {
  /** The directory that a web server or a stick would carry. */
  readonly repository: string;
  /** Where the payload of this name lies in it. */
  readonly payload: (name: string) => string;
}

/** How many commands work on the payloads before one adds them. */
const kind = ["--kind", "rules", "--release", "1.0.0"];

/** Publishes each tar as the rules of its name, version 1.0.0, by `steward repo`. */
export async function publishTars(
  scratch: string,
  tars: readonly Omit<HostileTar, "refusal">[],
): Promise<PublishedTars> {
  const site = join(scratch, "site");
  await steward("init", site, "--product", "demo");
  for (const tar of tars) {
    const path = join(scratch, `${tar.name}.tar.gz`);
    await writeHostileTar(path, tar);
    await steward("add", site, path, ...kind, "--name", tar.name);
    rmSync(path);
  }
  await steward("publish", site);
  const repository = join(site, "public");
  const directory = join(repository, "targets", "stable", "rules");
  const files = readdirSync(directory);
  return {
    repository,
    payload: (name) => {
      const file = files.find((one) => one.endsWith(`.${name}-1.0.0.tar.gz`));
      assert.ok(file, `${name} is not published`);
      return join(directory, file);
    },
  };
}

async function steward(...words: string[]): Promise<void> {
  const { code, stderr } = await runSteward(["repo", ...words]);
  assert.equal(code, 0, `steward repo ${words.join(" ")}: ${stderr}`);
}
