import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { compileKillAt, type State, type Watched, watchRun } from "../../lab/crashes/power-cut.ts";
import { bundleFixture, leftovers, open } from "../../lab/state/state-directory.ts";
import { counterKind } from "../../lab/state/store-counter.ts";
import { reserveBytes } from "../../src/store/files/reserve.ts";

const writes = 4;

describe("a writer whose power is cut", () => {
  const suite = endOfSuite();
  let program = "";
  let library = "";
  before(async () => {
    const place = await temporaryDirectory(suite);
    program = await bundleFixture(place, "store-writer");
    library = compileKillAt(place);
  });

  /** One run, whose last acknowledged value is the note of each state. */
  async function watched(
    directory: string,
    words: readonly string[],
    concerns = /./,
  ): Promise<Watched<number | null>> {
    const said = join(await temporaryDirectory(suite), "said");
    const output = openSync(said, "w");
    const start = (environment: Record<string, string>): Promise<number | null> => {
      const child = spawn(process.execPath, [program, directory, ...words], {
        env: { ...process.env, ...environment },
        stdio: ["ignore", output, "inherit"],
      });
      return new Promise((resolve) => child.once("close", resolve));
    };
    const note = () => Number(readFileSync(said, "utf8").trim().split("\n").at(-1));
    const result = await watchRun({ library, directory, start, note, concerns }).finally(() =>
      closeSync(output),
    );
    assert.equal(result.ended, 0);
    return result;
  }

  async function eachState(
    states: readonly State[],
    look: (directory: string, state: State) => Promise<void>,
  ): Promise<void> {
    for (const state of states) {
      const directory = join(await temporaryDirectory(suite), "left");
      state.put(directory);
      try {
        await look(directory, state);
      } catch (cause) {
        throw new Error(`${state.where}: ${cause}`, { cause });
      }
      await rm(directory, { recursive: true });
    }
  }

  it("finds the last acknowledged value or the one that was being written, whole, at any call", async (test) => {
    const directory = await temporaryDirectory(test);
    const { calls, points, states } = await watched(directory, [String(writes)]);
    assert.ok(calls.length >= writes * 5, `only ${calls.length} calls were seen`);
    await eachState(states, async (left, { note }) => {
      const acknowledged = Number(note);
      const document = await open(left, counterKind);
      const { counter } = document.read();
      assert.ok([acknowledged, acknowledged + 1].includes(counter), `${counter}, not ${acknowledged}`);
      assert.equal(document.trouble(), null);
      assert.deepEqual(await leftovers(left), []);
      await document.close();
    });
    test.diagnostic(`${states.length} different states of ${points} points at ${calls.length} calls`);
  });

  it("finds the space that was held back still held, or none that only looks so", async (test) => {
    const directory = await temporaryDirectory(test);
    const { states } = await watched(directory, ["0", "reserve"], /only the end/);
    const afterwards = states.filter(({ isEnd }) => isEnd);
    assert.ok(afterwards.length >= 2, "a power cut makes a difference");
    await eachState(afterwards, async (left) => {
      const reserve = await stat(join(left, ".reserve")).catch(() => null);
      assert.ok(reserve === null || reserve.size === reserveBytes, `it has ${reserve?.size} bytes`);
    });
  });
});
