import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Ended } from "../basics/captured-streams.ts";
import { temporaryDirectory } from "../basics/ending.ts";
import { useOpenSsl } from "./quick-ed25519.ts";
import { runPublisher } from "./run-publisher.ts";

// Each command verifies the whole repository again.
useOpenSsl();

export type Bench = ReturnType<typeof benchIn>;

export async function makeBench(test: TestContext): Promise<Bench> {
  return benchIn(await temporaryDirectory(test));
}

/** A repository for the product demo. */
export async function startedBench(test: TestContext, ...options: string[]): Promise<Bench> {
  const bench = await makeBench(test);
  await bench.good("init", bench.site, "--product", "demo", ...options);
  return bench;
}

/** With `release` published, which was added with these options. */
export async function publishedBench(test: TestContext, ...options: string[]): Promise<Bench> {
  const bench = await startedBench(test);
  await publishRelease(bench, ...options);
  return bench;
}

export async function publishRelease({ site, payload, good }: Bench, ...options: string[]): Promise<void> {
  await good("add", site, payload, ...release, ...options);
  await good("publish", site);
}

/** A repository to be, and a payload for it, in a directory that is there. */
export function benchIn(directory: string) {
  const [site, payload] = [join(directory, "site"), join(directory, "rules.tar.gz")];
  mkdirSync(join(directory, "contents"));
  writeFileSync(join(directory, "contents", "rules.json"), "{}");
  execFileSync("tar", ["-czf", payload, "-C", join(directory, "contents"), "."]);
  /** `steward-publisher …`, which must end with this code. */
  const bad = async (code: number, ...words: string[]): Promise<Ended> => {
    const ended = await runPublisher(words);
    assert.equal(ended.code, code, `steward-publisher ${words.join(" ")}: ${ended.stderr}`);
    return ended;
  };
  return { directory, site, payload, bad, good: (...words: string[]) => bad(0, ...words) };
}

/** These options of `add` describe the payload. */
export const release = ["--kind", "rules", "--name", "demo-rules", "--release", "1.0.0"];
