import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Document, type OpenOptions, openDocument } from "../../src/store/documents/document.ts";
import type { DocumentKind } from "../../src/store/documents/document-kind.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { type AgentOptions, type AgentProcess, startAgentProcess } from "../agents/running-agent.ts";
import { bundle } from "../basics/bundle.ts";
import { atEnd, type Ending, temporaryDirectory } from "../basics/ending.ts";
import { until } from "../basics/until.ts";

/** An agent that goes with the test. */
export async function startAgent(test: Ending, options: AgentOptions = {}): Promise<AgentProcess> {
  const agent = await startAgentProcess(options);
  atEnd(test, () => agent.dispose());
  return agent;
}

/** Opens a document as the agent would; the test closes it. */
export function open<T extends object>(
  directory: string,
  kind: DocumentKind<T>,
  options: Partial<OpenOptions> = {},
): Promise<Document<T>> {
  return openDocument(directory, kind, { isFirstStart: true, reserve: createReserve(directory), ...options });
}

/** Reads a document's file from the disk, without our own code. */
export async function onDisk(directory: string, file: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(directory, file), "utf8")) as Record<string, unknown>;
}

/** The files kept of a document that was damaged, or of its former forms, oldest first. */
export async function keptFiles(directory: string, name: string, why: "bad" | "format" = "bad") {
  return (await readdir(directory)).filter((file) => file.startsWith(`${name}.${why}-`)).sort();
}

/** Finds the files that a cut write leaves behind: hidden, and neither the lock nor the reserve. */
export async function leftovers(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  const kept = [".lock", ".reserve", ".seal.key", ".register.json", ".identity.json"];
  return names.filter((name) => name.startsWith(".") && !kept.includes(name));
}

/** Looks every 10 ms until it is so, for at most `seconds`; tells whether it came to be. */
export async function becomes(isSo: () => boolean | Promise<boolean>, seconds: number): Promise<boolean> {
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    if (await isSo()) return true;
    await delay(10);
  }
  return false;
}

/** Stops the time of timers in this process, until the returned function lets some seconds of it pass. */
export function stopTime(test: TestContext): (seconds: number) => void {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  return (seconds) => test.mock.timers.tick(seconds * 1_000);
}

/** Looks at each turn of the loop until it is so. Time stops meanwhile: it waits only for the disk. */
export async function comes(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; !(await isSo()); turns += 1) {
    assert.ok(turns < mostTurns, `not after ${turns} turns: ${what}`);
    await turn();
  }
}

/** Turns in which the disk has had time for all that was begun, and a bound of them. */
const [restTurns, mostTurns] = [200, 200_000];

/** Lets what was begun come to its end, before it is looked whether something was. */
export async function comesToRest(): Promise<void> {
  for (let turns = 0; turns < restTurns; turns += 1) await turn();
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Identity and time of each file: any write by rename or in place changes it. */
export async function fingerprints(directory: string): Promise<Record<string, string>> {
  const names = (await readdir(directory)).sort();
  const entries = await Promise.all(
    names.map(async (name) => {
      const file = await stat(join(directory, name), { bigint: true }).catch(() => null);
      return [name, file ? `${file.ino} ${file.mtimeNs} ${file.size}` : "gone"] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** One of the programs beside this file as a program of one file, so that a start costs little. Returns its path. */
export function bundleFixture(directory: string, name: string): Promise<string> {
  return bundle(directory, join(import.meta.dirname, `${name}.ts`));
}

export type HeldDisk = Awaited<ReturnType<typeof createHeldDisk>>;

/** A disk that a test may keep from answering; for a process with this environment. Throws when there is no C compiler. */
export async function createHeldDisk(test: Ending) {
  const directory = await temporaryDirectory(test);
  const library = join(directory, "held-fsync.so");
  const source = join(import.meta.dirname, "store-held-fsync.c");
  execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], { stdio: "pipe" });
  const file = join(directory, "held");
  const release = () => rmSync(file, { force: true });
  // Whatever has failed, nothing waits for ever.
  atEnd(test, release);
  return {
    environment: { LD_PRELOAD: library, FSYNC_HELD: file },
    /** From now on each fsync waits whose path has this part in it, or is exactly the one behind "="; no other does. */
    hold: (named: string): void => {
      rmSync(`${file}.waiting`, { force: true });
      writeFileSync(`${file}.next`, named);
      renameSync(`${file}.next`, file);
    },
    release,
    /** Until one of them waits whose path has this part in it. */
    waits: (named: string): Promise<void> =>
      until(`an fsync of ${named} waits`, async () =>
        (await readFile(`${file}.waiting`, "utf8").catch(() => "")).includes(named),
      ),
  };
}
