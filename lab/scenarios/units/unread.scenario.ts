import { readFileSync } from "node:fs";
import { connect } from "node:net";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";

/** As many connections as loopback has places, each with as many requests for the longest answer as a stranger may send. */
const connections = 512;
const requests = "GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(4);

const mebibyte = 1024 * 1024;

/** The kernel's control groups end the agent beyond its memory, if they bound the unit; else the scenario only counts it. */
export const scenario: TieredScenario = {
  title: "512 connections that do not read: agent and socket buffers stay within the unit's memory",
  tiers: { container: {} },
  timeoutSeconds: 300,
  boots: [{ run: walk(unread) }],
};

async function unread(guest: Guest): Promise<void> {
  const process = await guest.property("MainPID");
  const bound = Number(await guest.property("MemoryMax"));
  guest.check("the unit has a bound", bound === 256 * mebibyte, bound);
  let most = 0;
  const look = async (): Promise<void> => {
    const status = readFileSync(`/proc/${process}/status`, "utf8");
    const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    most = Math.max(most, resident + (await buffered(guest)));
  };
  const clients = [];
  for (let count = 0; count < connections; count += 1) {
    const client = connect({ host: "127.0.0.1", port: 8470 }).on("error", () => undefined);
    client.write(requests);
    clients.push(client);
    if (count % 64 === 0) await look();
  }
  const own = guest.http("/api/version").then(({ status }) => status, String);
  // An unread answer is kept for 10 s.
  for (let looks = 0; looks < 20; looks += 1) {
    await guest.pause(0.5);
    await look();
  }
  guest.figure("agent and socket buffers together hold at most", Math.round(most / mebibyte), "MiB");
  guest.check("that is within the unit's memory", most < bound, most);
  const answered = await own;
  guest.check("another client is answered meanwhile", answered === 200, answered);
  // The scenario's own client keeps one. The last of the answers begins within a minute.
  await guest.becomes('[ "$(ss -tnH state established "sport = :8470" | wc -l)" -le 1 ]', 60);
  const left = await buffered(guest);
  guest.check("and the kernel keeps nothing of them", left < mebibyte, left);
  const is = [await guest.property("MainPID"), await guest.property("NRestarts")].join();
  guest.check("the agent was not restarted", is === `${process},0`, is);
  for (const client of clients) client.destroy();
}

/** Bytes in the kernel's buffers of the agent's connections, as ss(8) has them: received, to be sent, and set aside. */
async function buffered(guest: Guest): Promise<number> {
  const { stdout } = await guest.run("ss", ["--tcp", "--all", "--memory", "--numeric", "sport = :8470"]);
  let bytes = 0;
  for (const [, received, ahead, queued] of stdout.matchAll(/skmem:\(r(\d+),.*?f(\d+),w(\d+)/g))
    bytes += Number(received) + Number(ahead) + Number(queued);
  return bytes;
}
