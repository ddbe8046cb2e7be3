import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";

/** A test, or what several share: whatever tells when it is over. */
export interface Ending {
  after(clean: () => Promise<void>): void;
}

type Cleaning = () => unknown;

const cleanings = new WeakMap<Ending, Cleaning[]>();

/** The end of a suite or a file; to be called in its body, not in a hook, whose own end comes at once. */
export function endOfSuite(): Ending {
  const own: Cleaning[] = [];
  const ending: Ending = { after: (clean) => void own.push(clean) };
  cleanings.set(ending, own);
  after(() => cleanUp(own));
  return ending;
}

/**
 * Has `clean` run at the end, and before all that was registered here earlier. Hooks of node:test run in the order of
 * registration: a directory would go away under the agent that was started in it.
 */
export function atEnd(test: Ending, clean: Cleaning): void {
  const known = cleanings.get(test);
  if (known) return void known.push(clean);
  const own = [clean];
  cleanings.set(test, own);
  test.after(() => cleanUp(own));
}

/** All of it, the last first; throws the first error. */
async function cleanUp(own: Cleaning[]): Promise<void> {
  const errors: unknown[] = [];
  for (const clean of own.reverse())
    try {
      await clean();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}

/**
 * Starts something before the tests of a suite and disposes of it after them. What it gives has its members from the first
 * test on; to be called in the suite's body.
 */
export function ofSuite<T extends object>(start: () => Promise<T>): T {
  const started = {} as T & { dispose?: () => Promise<unknown> };
  before(async () => {
    Object.defineProperties(started, Object.getOwnPropertyDescriptors(await start()));
  });
  after(() => started.dispose?.());
  return started;
}

/** A directory that goes with the test. */
export async function temporaryDirectory(test: Ending): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "steward-store-"));
  // Again where an agent that is being stopped has put a file into it meanwhile.
  atEnd(test, () => rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  return directory;
}
