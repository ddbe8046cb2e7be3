/**
 * Runs one scenario: run-scenario.ts NAME IMAGE-FOLDER CHRONY-FOLDER DIRECTORY. Started by main.ts as the first process
 * of a namespace of its own: its network is a loopback that nobody else has, it may set no clock, and when it ends, the
 * kernel ends whatever it has started.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Machine, startMachine } from "./machine.ts";
import { type Answer, type Message, readMessage } from "./messages.ts";
import { makePayload } from "./payload.ts";
import { openPublisher, type Publisher } from "./publisher.ts";
import type { HostSide, Scenario } from "./scenario.ts";
import { createTimeServers } from "./time-servers.ts";

/** Seconds that a machine may take to shut down by itself. */
const shutdownSeconds = 30;

const [name = "", imageFolder = "", chrony = "", directory = ""] = process.argv.slice(2);
const { scenario } = (await import(`./scenarios/${name}.ts`)) as { scenario: Scenario };
const counts = { checks: 0, failed: 0 };

// When whoever started this is gone, however it went, so is its end of this pipe.
process.stdin.on("end", () => process.exit(1)).resume();

const deadline = setTimeout(() => {
  say(`FAILED: not at its end after ${scenario.timeoutSeconds} s`);
  process.exit(1);
}, scenario.timeoutSeconds * 1_000);

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
for (const server of scenario.servers ?? []) host.servers.start(server);
const payload = await makePayload(name, scenario, directory);
const image = {
  disk: join(imageFolder, "disk.img"),
  kernel: join(imageFolder, "vmlinuz"),
  initrd: join(imageFolder, "initrd"),
};
let isWhole = true;
for (let index = 0; index < scenario.boots.length && isWhole; index += 1) {
  isWhole = await bootOnce(startMachine({ image, payload, directory, scenario, index }), index);
}
clearTimeout(deadline);
host.servers.stopAll();
publisher?.close();
say(
  `${isWhole && counts.failed === 0 ? "passed" : "FAILED"}: ${counts.checks} checks, ${counts.failed} failed`,
);
process.exit(isWhole && counts.failed === 0 ? 0 : 1);

function say(text: string): void {
  process.stdout.write(`${name}: ${text}\n`);
}

/** One boot to its end; false where the guest part did not come to its own. */
async function bootOnce(machine: Machine, index: number): Promise<boolean> {
  for await (const line of machine.lines) {
    const message = readMessage(line.trim());
    if (!message) continue;
    appendFileSync(join(directory, "messages.jsonl"), `${JSON.stringify(message)}\n`);
    if (message.kind === "end") {
      await endOf(machine, index);
      if (message.error === null) return true;
      say(`FAILED in boot ${index}: ${message.error}`);
      return false;
    }
    await take(message, machine);
  }
  await machine.ended;
  say(`FAILED: the machine ended without a word; its console is in console-${index}.log`);
  return false;
}

async function endOf(machine: Machine, index: number): Promise<void> {
  const isShutDown = scenario.keepsDisk && !scenario.boots[index]?.powerCut;
  if (isShutDown) {
    const patience = setTimeout(() => void machine.kill(), shutdownSeconds * 1_000);
    await machine.ended;
    clearTimeout(patience);
  } else {
    await machine.kill();
  }
}

async function take(message: Message, machine: Machine): Promise<void> {
  switch (message.kind) {
    case "begin":
      return say(`boot ${message.boot}: the guest part begins ${machine.age().toFixed(1)} s after qemu`);
    case "mark":
      return say(`${message.name}: ${machine.age().toFixed(1)} s after qemu`);
    case "check":
      counts.checks += 1;
      if (!message.passed) counts.failed += 1;
      return say(
        `${message.passed ? "ok    " : "NOT OK"} ${message.name}${message.detail && !message.passed ? `: ${message.detail}` : ""}`,
      );
    case "figure":
      return say(`       ${message.name} = ${message.value} ${message.unit}`);
    case "note":
      return say(`       ${message.text}`);
    case "journal":
      return writeFileSync(join(directory, "journal.log"), message.text);
    case "ask":
      return machine.answer(JSON.stringify(await answer(message.name)));
    case "end":
      return;
  }
}

async function answer(question: string): Promise<Answer> {
  try {
    const act = scenario.asks?.[question];
    if (!act) throw new Error("the scenario declares no such thing under asks");
    return { value: (await act(host)) ?? null };
  } catch (error) {
    return { error: String(error) };
  }
}
