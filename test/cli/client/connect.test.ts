import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { type Answer, answerFrom, listen, problem } from "../../../lab/command-line/scripted-agent.ts";
import { createAgentClient, untilStarted } from "../../../src/cli/client/connect.ts";
import type { CommandContext } from "../../../src/cli/client/context.ts";
import { afterOtherCommands } from "../../../src/cli/client/patience.ts";
import { choosePlaces } from "../../../src/cli/client/places.ts";
import { StateLocked, takeLock } from "../../../src/store/files/lock.ts";
import { CommandError } from "../../../src/terminal/command-error.ts";

const version = { version: "0.1.0" };

/** A test sees the end of the short waits; nothing in a test takes as long as the long ones. */
const short = { agent: 300, command: 200, silence: 0, pause: 5 };
const long = { agent: 60_000, command: 60_000, silence: 0, pause: 5 };

/** A state directory with a real lock; the operations in process are those of a test, under that lock. */
function device(test: TestContext, onRemark: (text: string) => void = () => undefined) {
  const directory = temporaryDirectory(test);
  const socketPath = join(directory, "steward.sock");
  const places = choosePlaces(
    { has: () => false, text: () => undefined, texts: () => [] },
    { STEWARD_SOCKET: socketPath, STEWARD_STATE: directory },
  );
  const [remarks, opened]: [string[], string[]] = [[], []];
  const openOffline: CommandContext["openOffline"] = async (stateDirectory, { readsOnly }) => {
    const lock = readsOnly ? undefined : await takeLock(stateDirectory);
    opened.push(stateDirectory);
    return { call: async () => version as never, close: async () => lock?.release() };
  };
  const context = { stdin: { isTTY: false }, openOffline } as unknown as CommandContext;
  const remark = async (text: string) => {
    remarks.push(text);
    onRemark(text);
  };
  const client = (patience: typeof short, worksOffline = true) =>
    createAgentClient({ places, context, worksOffline, remark, patience });
  /** One call of a command of its own. */
  const call = async (id: "getVersion" | "logout", patience = long, worksOffline = true) => {
    const one = client(patience, worksOffline);
    const answer = await one.call(id, {});
    await one.close();
    return answer;
  };
  /** An agent that has the state, until the test is over. */
  const agentHasState = async () => {
    const lock = await takeLock(directory, { role: "agent" });
    test.after(() => lock.release());
  };
  return { directory, socketPath, places, remarks, opened, client, call, agentHasState };
}

const agentAt = (test: TestContext, socketPath: string, answer: () => Answer = () => ({ body: version })) =>
  listen(test, createServer(answerFrom({ "GET /api/version": answer }, [])), socketPath);

describe("the client of a command", () => {
  it("reads beside another command at once, and takes no lock for it", async (test) => {
    const there = device(test);
    const lock = await takeLock(there.directory);
    const client = there.client(long);
    assert.deepEqual(await client.call("getVersion", {}), version);
    await lock.release();
    // Still open for reading: it keeps no writer away.
    await (await takeLock(there.directory)).release();
    await client.call("logout", {});
    await client.close();
    assert.equal(there.opened.length, 2);
    const remark = `The agent is not running; reading its state in ${there.directory} directly.`;
    assert.deepEqual(there.remarks, [remark]);
  });

  it("reads beside an agent that never listens, when it has been waited for, and says so", async (test) => {
    const there = device(test);
    await there.agentHasState();
    assert.deepEqual(await there.call("getVersion", short), version);
    const expected = new RegExp(`process ${process.pid}, .*--socket.* reading its state`);
    assert.match(there.remarks.join(" "), expected);
  });

  for (const worksOffline of [true, false])
    it(`waits for an agent that does not listen yet, and says so${worksOffline ? "" : ", also where it needs one"}`, async (test) => {
      let isListening = Promise.resolve();
      const there = device(test, () => {
        isListening = agentAt(test, there.socketPath);
      });
      await there.agentHasState();
      assert.deepEqual(await there.call("getVersion", long, worksOffline), version);
      await isListening;
      const remark = `Waiting for the agent to start (process ${process.pid})…`;
      assert.deepEqual([there.opened, there.remarks], [[], [remark]]);
    });

  it("waits for another command, then works on the state itself", async (test) => {
    const there = device(test, (text) => {
      if (text.startsWith("Waiting")) void lock.release();
    });
    const lock = await takeLock(there.directory);
    await there.call("logout");
    assert.equal(there.opened.length, 1);
    assert.match(there.remarks[0] ?? "", /^Waiting for another program.*\(process \d+\)…$/);
  });

  it("lets each of four that come at once have its turn", async (test) => {
    const there = device(test);
    await Promise.all([1, 2, 3, 4].map(() => there.call("logout")));
    assert.equal(there.opened.length, 4);
  });

  it("opens the state once for calls that run side by side", async (test) => {
    const there = device(test);
    const client = there.client(long);
    await Promise.all([client.call("getVersion", {}), client.call("getVersion", {})]);
    await client.close();
    assert.equal(there.opened.length, 1);
  });

  it("gives up on an agent that never listens (8), and on another command that does not end", async (test) => {
    const there = device(test);
    await there.agentHasState();
    const message = new RegExp(`process ${process.pid}, .*--socket`);
    await assert.rejects(there.call("logout", short), { exitCode: 8, message });
    const other = device(test);
    const lock = await takeLock(other.directory);
    await assert.rejects(other.call("logout", short), { code: "state_locked" });
    await lock.release();
  });

  it("waits for the end of an agent that is stopping, and asks the next one", async (test) => {
    let isStopping = true;
    const there = device(test, () => {
      isStopping = false;
    });
    const refusal = problem({ code: "shutting_down", status: 503, retry_after: 5 });
    await agentAt(test, there.socketPath, () => (isStopping ? refusal : { body: version }));
    await there.agentHasState();
    assert.deepEqual(await there.call("getVersion"), version);
    assert.deepEqual([there.remarks.length, there.opened], [1, []]);
  });
});

describe("a unit that does not come up", () => {
  const looping = {
    ...{ ActiveState: "activating", SubState: "auto-restart", NRestarts: "7" },
    ...{ ActiveExitTimestampMonotonic: "0", StateChangeTimestampMonotonic: "90000000" },
  };
  const lastLine = async () => "steward: no shared library";

  /** The failure of a command that needs the agent, with what systemd says. */
  async function failureWith(test: TestContext, properties: Record<string, string>) {
    const { places, remarks } = device(test);
    const remark = async (text: string) => void remarks.push(text);
    const askUnit = async () => ({ properties, lastLine });
    const wait = untilStarted({ places, remark, patience: { ...short, pause: 1 }, askUnit });
    for (let tries = 0; ; tries += 1) {
      const failed = await wait(new CommandError(8, "absent")).then(
        () => undefined,
        (error) => error,
      );
      if (failed instanceof CommandError) return { tries, message: failed.message, code: failed.exitCode };
    }
  }

  it("is told at once, with its last line and the command to type, and not waited for", async (test) => {
    const { tries, message, code } = await failureWith(test, looping);
    assert.deepEqual([tries, code], [0, 8]);
    assert.match(
      message,
      /steward\.service does not come up: .* 7 times\. `steward doctor`.*: steward: no shared library$/,
    );
  });

  for (const [what, change] of Object.entries({
    "its first start": { NRestarts: "0" },
    "a start after one failure": { NRestarts: "1" },
    "a restart of one that listened just now": { ActiveExitTimestampMonotonic: "89000000" },
  }))
    it(`is not ${what}, which is waited for, and is no other program`, async (test) => {
      const { tries, message } = await failureWith(test, { ...looping, ...change });
      assert.ok(tries > 0, "it was waited for");
      assert.match(message, /^The agent is being started, and no agent has begun to listen/);
    });

  it("is not one that was stopped: there is no agent to wait for", async (test) => {
    const { tries, message } = await failureWith(test, { ...looping, ActiveState: "inactive" });
    assert.deepEqual([tries, message], [0, "absent"]);
  });
});

describe("another command that has the state", () => {
  const work = (directory: string) => async () => (await takeLock(directory)).release();

  it("is waited for, where the work is on the state", async (test) => {
    const { directory, places } = device(test);
    const lock = await takeLock(directory);
    await afterOtherCommands({ places, remark: () => lock.release(), patience: long }, work(directory));
  });

  it("is not waited for as an agent that starts: none comes of it", async (test) => {
    const { directory, places } = device(test);
    const lock = await takeLock(directory);
    const absence = new CommandError(8, "absent");
    const wait = untilStarted({ places, remark: async () => undefined, patience: long });
    await assert.rejects(wait(absence), absence);
    await lock.release();
  });

  it("is no agent, which keeps it, and is not waited for", async (test) => {
    const { directory, places, agentHasState } = device(test);
    await agentHasState();
    const waiting = { places, remark: async () => assert.fail("waited"), patience: long };
    await assert.rejects(afterOtherCommands(waiting, work(directory)), StateLocked);
  });
});
