import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";

/** As many connections as loopback has places, each with as many requests for the longest answer as a stranger may send. */
const connections = 512;
const requests = "GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(4);

/** Seconds for which an unread answer is kept, and for the last of the answers to begin. */
const keptSeconds = 10;
const patienceSeconds = 60;

const mebibyte = 1024 * 1024;

/**
 * The kernel's control groups end the agent beyond its memory, if they bound the unit; otherwise the scenario only
 * counts it.
 */
export const scenario: TieredScenario = {
  title: "512 connections that do not read: agent and socket buffers stay within the unit's memory",
  tiers: { container: {} },
  timeoutSeconds: 300,
  boots: [{ run: unread }],
};

async function unread(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const process = await guest.property("MainPID");
  const bound = Number(await guest.property("MemoryMax"));
  guest.check("the unit has a bound", bound === 256 * mebibyte, bound);
  let most = 0;
  const look = async (): Promise<void> => {
    most = Math.max(most, residentOf(process) + (await buffered(guest)));
  };
  const clients: Socket[] = [];
  for (let count = 0; count < connections; count += 1) {
    const client = connect({ host: "127.0.0.1", port: 8470 }).on("error", () => undefined);
    client.write(requests);
    clients.push(client);
    if (count % 64 === 0) await look();
  }
  const own = guest.http("/api/version").then(({ status }) => status, String);
  for (let looks = 0; looks < 2 * keptSeconds; looks += 1) {
    await guest.pause(0.5);
    await look();
  }
  guest.figure("agent and socket buffers together hold at most", Math.round(most / mebibyte), "MiB");
  guest.check("that is within the unit's memory", most < bound, most);
  const answered = await own;
  guest.check("another client is answered meanwhile", answered === 200, answered);
  await guest.until("all of them are ended", patienceSeconds, async () => (await open(guest)) <= 1);
  const left = await buffered(guest);
  guest.check("and the kernel keeps nothing of them", left < mebibyte, left);
  const restarts = await guest.property("NRestarts");
  const isSame = (await guest.property("MainPID")) === process;
  guest.check("the agent was not restarted", isSame && restarts === "0", restarts);
  for (const client of clients) client.destroy();
}

/** The agent's connections on loopback; the scenario's own client keeps one. */
async function open(guest: Guest): Promise<number> {
  const { stdout } = await guest.run("ss", ["-tnH", "state", "established", "sport = :8470"]);
  return stdout.split("\n").filter((line) => line !== "").length;
}

/** Bytes in memory of the process. */
function residentOf(process: string): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${process}/status`, "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}

/** Bytes in the kernel's buffers of the agent's connections, as ss(8) has them: received, to be sent, and set aside. */
async function buffered(guest: Guest): Promise<number> {
  const { stdout } = await guest.run("ss", ["--tcp", "--all", "--memory", "--numeric", "sport = :8470"]);
  let bytes = 0;
  for (const [, received, ahead, queued] of stdout.matchAll(/skmem:\(r(\d+),.*?f(\d+),w(\d+)/g))
    bytes += Number(received) + Number(ahead) + Number(queued);
  return bytes;
}
