import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { counted } from "../../../lab/basics/counts.ts";
import {
  asAgentUser,
  isRoot,
  takenFiles,
  type VerifyLab,
  withStaged,
} from "../../../lab/devices/verifying-device.ts";
import { ownCredentials } from "../../../lab/host/credentials.ts";
import { sha512 } from "../../../lab/publisher/signing-key.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { createOwnersRights } from "../../../src/host/linux/releases/agent-rights.ts";
import { openAgentFiles } from "../../../src/installer/files/agent-files.ts";
import { copySigned } from "../../../src/installer/verify/copy-payload.ts";
import { readSignedPayload } from "../../../src/releases/signed-payload.ts";
import { swapperSource } from "../swapping.ts";

const installs = counted({ usual: 30, all: 1_000 });
/** So many by the whole of it; the rest by the steps that touch what the agent can touch. */
const wholeInstalls = counted({ usual: 12, all: 600 });
/** Which reasons a swap is refused for is left to chance: as long as one was not seen, on to here. */
const mostWholeInstalls = 2_000;

describe("a process of the agent's user that swaps the staged files all the time", {
  skip: !isRoot && "needs root",
}, () => {
  it(`has nothing taken in ${installs} installs but the signed bytes`, async (test) => {
    const { lab, id, added } = await withStaged(test, { payload: randomBytes(700_000) });
    const swapper = await startSwapping(lab, id);
    test.after(() => void swapper.kill("SIGKILL"));
    const hash = added.target.hashes.sha512 ?? "";
    const whole = newTally();
    while (countOf(whole) < wholeInstalls || (!hasSeenAll(whole) && countOf(whole) < mostWholeInstalls)) {
      await tally(whole, async () => (await lab.verifyAndCopy(id)).payload, hash);
      if (whole.last === "refused") assert.deepEqual(await takenFiles(lab.trust), []);
    }
    // Opened, copied, held against the signed hash.
    const steps = newTally();
    const asAgent = await createOwnersRights(lab.agent, ownCredentials());
    const signed = readSignedPayload({ length: added.target.length, hashes: added.target.hashes });
    const copy = join(lab.trust, "copy");
    while (countOf(steps) < installs - wholeInstalls) {
      await rm(copy, { force: true });
      const take = async () => {
        const files = await openAgentFiles(lab.agent, id, asAgent);
        try {
          copySigned(files.payload, copy, signed);
        } finally {
          files.close();
        }
        return copy;
      };
      await tally(steps, take, hash);
    }
    const swaps = await stop(swapper);
    test.diagnostic(
      `${swaps} swaps; whole intakes: ${inWords(whole)}; opened and copied alone: ${inWords(steps)}`,
    );
    assert.ok(swaps > installs, `only ${swaps} swaps`);
    assert.ok(hasSeenAll(whole), "nothing was taken, or all of it, or it was always refused for one reason");
  });
});

interface Tally {
  taken: number;
  refused: number;
  last: "taken" | "refused";
  codes: Map<string, number>;
}

function newTally(): Tally {
  return { taken: 0, refused: 0, last: "refused", codes: new Map() };
}

function countOf({ taken, refused }: Tally): number {
  return taken + refused;
}

/** It was taken, and refused for more than one reason. */
function hasSeenAll({ taken, codes }: Tally): boolean {
  return taken > 0 && codes.size > 1;
}

function inWords({ taken, refused, codes }: Tally): string {
  return `${taken} taken, ${refused} refused ${JSON.stringify(Object.fromEntries(codes))}`;
}

async function tally(into: Tally, take: () => Promise<string>, hash: string): Promise<void> {
  try {
    const path = await take();
    assert.equal(sha512(await readFile(path)), hash, "other bytes than the signed ones were taken");
    into.taken += 1;
    into.last = "taken";
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    into.refused += 1;
    into.last = "refused";
    into.codes.set(error.code, (into.codes.get(error.code) ?? 0) + 1);
  }
}

async function startSwapping(lab: VerifyLab, id: string): Promise<ChildProcessWithoutNullStreams> {
  const [program = "", ...options] = asAgentUser;
  const updates = join(lab.agent, "updates");
  const child = spawn(program, [...options, process.execPath, "-e", swapperSource, updates, id], {
    cwd: "/",
  });
  child.stderr.pipe(process.stderr);
  await once(child.stdout, "data");
  return child;
}

async function stop(child: ChildProcessWithoutNullStreams): Promise<number> {
  assert.equal(child.exitCode, null, "it had ended early");
  const printed = once(child.stdout, "data");
  child.stdin.end();
  const [count] = await printed;
  return Number(String(count));
}
