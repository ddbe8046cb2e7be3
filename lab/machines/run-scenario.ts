import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPublisher, type Publisher } from "./host/publisher.ts";
import { createTimeServers } from "./host/time-servers.ts";
import { type Answer, type Message, readMessage } from "./messages.ts";
import type { HostSide, Scenario } from "./scenario.ts";

/** A running machine: a virtual one or a container. */
export interface Machine {
  /** The lines of the guest part; they end with it or with the machine. */
  readonly lines: AsyncIterable<string>;
  /** Sends a line to the guest part. */
  answer(line: string): void;
  /** Cuts the power; resolves when the machine has ended. */
  kill(): Promise<void>;
  /** Resolves when the machine has ended, whether it was shut down or killed. */
  readonly ended: Promise<void>;
  /** Seconds since it was started. */
  age(): number;
  /** True where its kernel panicked before it had started a process, which a busy host can cause. */
  hasPanickedEarly(): boolean;
}

/** A scenario with the options of its run. */
export interface Run {
  readonly name: string;
  readonly scenario: Scenario;
  /** The directory for its logs. */
  readonly directory: string;
  /** The directory with Debian's chrony. */
  readonly chrony: string;
  /** Starts the machine for the boot with that index, 0 for the first. */
  readonly start: (index: number) => Machine;
  /** Seconds from the start of a machine to its guest part on a quiet host. */
  readonly quietBootSeconds: number;
  /** Called with each line of output; printed if absent. */
  readonly say?: (line: string) => void;
}

/** Seconds that a machine may take to shut down after the order, and to start, where the host is quiet. */
const shutdownSeconds = 30;
const startSeconds = 600;

/**
 * Runs one scenario and ends this process with 0 when it has passed. This is the first process of a namespace of its
 * own: its network is a loopback that no other process has, it may set no clock, and when it ends, the kernel ends all
 * that it has started. Deadlines are multiples of a measured boot: each boot that takes longer than a quiet one extends
 * them.
 */
export async function runScenario(run: Run): Promise<never> {
  const { scenario, directory, chrony } = run;
  // The pipe closes when the process that started this one ends.
  process.stdin.on("end", () => process.exit(1)).resume();
  const publisher: Publisher | undefined = scenario.repository
    ? await openPublisher(scenario.repository, join(directory, "publisher"))
    : undefined;
  const host: HostSide = {
    servers: createTimeServers(directory, join(chrony, "usr/sbin/chronyd")),
    get publisher() {
      if (publisher) return publisher;
      throw new Error("the scenario has no repository");
    },
  };
  for (const server of scenario.servers ?? []) await host.servers.start(server);
  const isPassed = await runBoots(run, host);
  host.servers.stopAll();
  publisher?.close();
  process.exit(isPassed ? 0 : 1);
}

/** Boots the machine as often as the scenario says, and returns whether it has passed. */
export function runBoots(run: Omit<Run, "chrony">, host: HostSide): Promise<boolean> {
  return new Boots(run, host).all();
}

/** The boots of a scenario, one after the other, and what they have said so far. */
class Boots {
  readonly #run: Omit<Run, "chrony">;
  readonly #host: HostSide;
  readonly #begun = performance.now();
  readonly #counts = { checks: 0, failed: 0 };
  #slowness = 1;
  #deadline: NodeJS.Timeout | undefined;

  constructor(run: Omit<Run, "chrony">, host: HostSide) {
    this.#run = run;
    this.#host = host;
  }

  async all(): Promise<boolean> {
    this.#endAfter(startSeconds);
    let isWhole = true;
    let retries = 1;
    const { boots } = this.#run.scenario;
    for (let index = 0; index < boots.length && isWhole; index += 1) {
      const machine = this.#run.start(index);
      isWhole = await this.#boot(machine, index);
      if (isWhole || retries === 0 || !machine.hasPanickedEarly()) continue;
      // The scenario has not run yet, so that this hides no failure of it.
      this.#say("the kernel panicked before it had started a process; the boot is tried once more");
      retries -= 1;
      index -= 1;
      isWhole = true;
    }
    clearTimeout(this.#deadline);
    const { checks, failed } = this.#counts;
    const isPassed = isWhole && failed === 0;
    this.#say(`${isPassed ? "passed" : "FAILED"}: ${checks} checks, ${failed} failed`);
    return isPassed;
  }

  #say(text: string): void {
    const { name, say = (line: string) => void process.stdout.write(`${line}\n`) } = this.#run;
    say(`${name}: ${text}`);
  }

  /** The scenario has failed when it takes longer than so many seconds from its beginning. */
  #endAfter(seconds: number): void {
    clearTimeout(this.#deadline);
    const left = seconds * 1_000 - (performance.now() - this.#begun);
    this.#deadline = setTimeout(() => {
      this.#say(`FAILED: not at its end after ${seconds.toFixed(0)} s`);
      process.exit(1);
    }, left);
  }

  /** Runs one boot to its end; false if the guest part did not end. */
  async #boot(machine: Machine, index: number): Promise<boolean> {
    for await (const line of machine.lines) {
      const message = readMessage(line.trim());
      if (!message) continue;
      appendFileSync(join(this.#run.directory, "messages.jsonl"), `${JSON.stringify(message)}\n`);
      if (message.kind === "end") {
        await this.#end(machine, index);
        if (message.error === null) return true;
        this.#say(`FAILED in boot ${index}: ${message.error}`);
        return false;
      }
      await this.#take(message, machine);
    }
    await machine.kill();
    if (!machine.hasPanickedEarly())
      this.#say(`FAILED: the machine ended without a word; its console is in console-${index}.log`);
    return false;
  }

  async #end(machine: Machine, index: number): Promise<void> {
    const { keepsDisk, boots } = this.#run.scenario;
    if (!keepsDisk || boots[index]?.powerCut) return machine.kill();
    const patience = setTimeout(() => void machine.kill(), shutdownSeconds * this.#slowness * 1_000);
    await machine.ended;
    clearTimeout(patience);
  }

  async #take(message: Message, machine: Machine): Promise<void> {
    switch (message.kind) {
      case "begin":
        return this.#begin(message.boot, machine);
      case "mark":
        return this.#say(`${message.name}: ${machine.age().toFixed(1)} s after the start of the machine`);
      case "check":
        return this.#check(message);
      case "figure":
        return this.#say(`       ${message.name} = ${message.value} ${message.unit}`);
      case "note":
        return this.#say(`       ${message.text}`);
      case "journal":
        return writeFileSync(join(this.#run.directory, "journal.log"), message.text);
      case "ask":
        return machine.answer(JSON.stringify(await this.#answer(message.name, message.value)));
    }
  }

  #check({ name, passed, detail }: Message & { kind: "check" }): void {
    this.#counts.checks += 1;
    if (!passed) this.#counts.failed += 1;
    this.#say(passed ? `ok     ${name}` : `NOT OK ${name}${detail && `: ${detail}`}`);
  }

  #begin(boot: number, machine: Machine): void {
    const seconds = machine.age();
    const slowness = Math.max(1, seconds / this.#run.quietBootSeconds);
    this.#slowness = Math.max(this.#slowness, slowness);
    this.#endAfter(this.#run.scenario.timeoutSeconds * this.#slowness);
    const times = slowness > 1 ? `; everything may take ${slowness.toFixed(1)} times as long` : "";
    this.#say(`boot ${boot}: the guest part begins after ${seconds.toFixed(1)} s${times}`);
    machine.answer(JSON.stringify({ value: slowness } satisfies Answer));
  }

  async #answer(question: string, value: unknown): Promise<Answer> {
    try {
      const act = this.#run.scenario.asks?.[question];
      if (!act) throw new Error("the scenario declares no such thing under asks");
      return { value: (await act(this.#host, value)) ?? null };
    } catch (error) {
      return { error: String(error) };
    }
  }
}
