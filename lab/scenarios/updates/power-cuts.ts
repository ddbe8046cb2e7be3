import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { binary } from "./demo-product.ts";
import * as updates from "./update-scenario.ts";

/** When the power is cut: while the installer verifies, or in a phase of the trial. */
export type CutAt =
  | "verifying"
  | "installing"
  | "switching"
  | "activating"
  | "confirming"
  | "undoing"
  | "reactivating"
  | "recovering";

/** Twelve megabytes, so that copying, verifying and unpacking take some time; the same for host and guest. */
const filler = (version: string): string =>
  Array.from({ length: 93_750 }, (_, part) =>
    createHash("sha512").update(`${version} ${part}`).digest("hex"),
  ).join("");

/** A release for these scenarios; `isGood`: not one that is undone. */
export const heavyBinary = (version: string, isGood = true) =>
  binary(version, isGood ? "good" : "exits", () => filler(version));

/** True while the installer is at this point. Cheap, because it is asked every few milliseconds. */
function isAt(place: CutAt): boolean {
  const trial = updates.releaseJournal().slots.binary.trial;
  if (place === "verifying") return trial === null && existsSync("/var/lib/steward-trust/intake");
  return trial?.phase === place;
}

/**
 * Applies a release, and returns as soon as it is there: the boot then ends with its power. `before` hears its id while
 * nothing is under way yet.
 */
export async function appliedUntil(
  guest: Guest,
  { version, place }: { version: string; place: CutAt },
  before: (id: string) => void,
): Promise<void> {
  const id = await updates.offered(guest, "binary", version);
  before(id);
  await updates.applied(guest, "binary");
  const end = performance.now() + 400_000;
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  while (performance.now() < end) {
    if (isAt(place)) {
      // A file that is visible has been renamed, and is on the disk a little later; in a container it is kept at once. The
      // short phases are over then.
      const isKept = existsSync("/run/systemd/container") || ["switching", "undoing"].includes(place);
      if (!isKept) Atomics.wait(sleeper, 0, 0, 250);
      return;
    }
    if (updates.newestOutcome(id) !== undefined) throw new Error(`it had ended before it was seen ${place}`);
    // Not a timer, which a busy machine would delay.
    Atomics.wait(sleeper, 0, 0, 2);
  }
  throw new Error(`it never was ${place}`);
}

/** True where the tree of a release is whole: every file of it as it was packed. */
function isWhole(id: string, version: string): boolean {
  const tree = `/var/lib/steward-releases/releases/${id}`;
  const sha = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
  const program = readFileSync(`${tree}/server.pl`, "utf8");
  return sha(readFileSync(`${tree}/filler`)) === sha(filler(version)) && program.includes(`"${version}"`);
}

/** A release that the scenario knows. */
export interface Known {
  readonly id: string;
  readonly version: string;
}

/**
 * After a cut: a trial that was under way comes to its end, and then exactly one of these two is current, whole,
 * good by the journal, and the one that answers. Returns which.
 */
export async function settledOn(guest: Guest, former: Known, tried: Known): Promise<Known> {
  await guest.until("what was under way has ended", 240, () => {
    const { slots } = updates.releaseJournal();
    if (slots.binary.trial === null && !existsSync("/var/lib/steward-releases/under-way")) return true;
    throw new Error(JSON.stringify(slots.binary.trial));
  });
  const current = updates.linked("binary", "current");
  const known = [former, tried].find(({ id }) => id === current);
  guest.check("either the old or the new release is current", known !== undefined, current);
  const is = known ?? former;
  const good = updates.releaseJournal().slots.binary.good.at(-1);
  guest.check(
    `it is ${is.version}, which the journal calls good`,
    good?.id === is.id,
    updates.releaseJournal(),
  );
  guest.check("it is whole", isWhole(is.id, is.version));
  const says = await guest
    .until("the product answers", 60, async () => (await updates.productSays()) === is.version)
    .catch(() => false);
  guest.check("it is healthy", says === true, await updates.productSays());
  return is;
}

/** Applies a release to its good end. */
export async function appliedWhole(guest: Guest, version: string): Promise<Known> {
  const id = await updates.offered(guest, "binary", version);
  await updates.applied(guest, "binary");
  const entry = await updates.outcomeOf(guest, id, 240);
  guest.check(`the next apply succeeds: ${version}`, entry.outcome === "good", entry);
  return { id, version };
}
