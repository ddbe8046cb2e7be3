import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { atEnd, temporaryDirectory } from "../../lab/basics/ending.ts";
import { mountOrSkip, type PrivateMount } from "../../lab/state/private-mount.ts";
import { onDisk, open } from "../../lab/state/state-directory.ts";
import { type Counter, counterKind } from "../../lab/state/store-counter.ts";
import { createTimers } from "../../src/host/linux/timers.ts";
import { openEventLog } from "../../src/journal/events/event-log.ts";
import { openDocuments } from "../../src/programs/agent/documents.ts";
import { openState, type State } from "../../src/programs/agent/state.ts";
import type { OpenOptions } from "../../src/store/documents/document.ts";
import type { DocumentKind } from "../../src/store/documents/document-kind.ts";

/** A test on a small file system of its own; it is skipped, saying why, where mounting is not permitted. */
export function itOnMount(
  title: string,
  work: (test: TestContext, mount: PrivateMount) => Promise<void>,
  mebibytes?: number,
): void {
  it(title, async (test) => {
    const mount = await mountOrSkip(test, mebibytes);
    if (mount) await work(test, mount);
  });
}

export const plusOne = ({ counter }: Counter): Counter => ({ counter: counter + 1 });
export const plusTen = ({ counter }: Counter): Counter => ({ counter: counter + 10 });

export const counterOn = async (directory: string) => (await onDisk(directory, "counter.json")).counter;

/** A counter at 0, which is closed at the end. */
export async function openCounter(test: TestContext, options: Partial<OpenOptions> = {}) {
  const directory = await temporaryDirectory(test);
  const document = await open(directory, counterKind, options);
  atEnd(test, () => document.close());
  return { directory, document };
}

/** The text of a file of a document, in a format. */
export const inFormat = (version: string, members: object, internal: object = {}): string =>
  JSON.stringify({ ...members, __internal__: { migrations: { version }, ...internal } });

/** A kind of document with these members, all of which it must have, and no others. */
export const kindOf = <T extends object>(
  name: string,
  formatVersion: string,
  properties: Readonly<Record<string, object>>,
  more: Pick<DocumentKind<T>, "defaults"> & Partial<DocumentKind<T>>,
): DocumentKind<T> => ({
  ...{ name, formatVersion, onLoss: "rescue" },
  schema: { type: "object", additionalProperties: false, required: Object.keys(properties), properties },
  ...more,
});

/** The state in a directory as the agent opens it, without its other rooms. */
export async function openStateAt(stateDirectory: string): Promise<State> {
  const log = () => undefined;
  const stored = await openDocuments({ stateDirectory, initialSettings: {} });
  const directory = join(stateDirectory, "events");
  const events = await openEventLog({
    directory,
    log,
    now: () => new Date(),
    reserve: stored.reserve,
    timers: createTimers(),
    uptime: () => performance.now() / 1_000,
  });
  return openState(stored, events, log);
}
