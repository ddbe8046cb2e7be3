import { openStream } from "../agents/stream-reader.ts";
import { passes } from "./disturbances.ts";
import type { Loading } from "./load.ts";

/** Seconds after which a stream is left and taken up again where it was. */
const longestSeconds = 20;

/** Reads an agent's events as root until the signal, over all its restarts: each once. Gives how many. */
export async function readStream({ agent, tally, signal }: Omit<Loading, "chance">): Promise<number> {
  const seen = new Set<string>();
  let last: string | null = null;
  while (!signal.aborted) {
    const present = agent.present();
    const headers: Record<string, string> = last === null ? {} : { "last-event-id": last };
    const where = { where: present?.socket ?? "", path: "/api/events/stream", headers };
    const stream = present && (await openStream(where).catch(() => null));
    if (!stream) {
      // It is being started again.
      await passes(0.2, signal);
      continue;
    }
    await Promise.race([stream.ended, passes(longestSeconds, signal)]);
    stream.close();
    if (stream.status !== 200) tally.wrong("stream", `it was answered ${stream.status} ${stream.text()}`);
    for (const { id, event } of stream.messages) {
      if (event === "gap") tally.wrong("stream", "events are missing");
      if (id === "") continue;
      if (seen.has(id)) tally.wrong("stream", "an event came twice");
      seen.add(id);
      last = id;
    }
  }
  return seen.size;
}
