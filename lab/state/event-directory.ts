import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEvent } from "../../src/contract/types.ts";
import { createTimers } from "../../src/host/linux/timers.ts";
import type { EventFacts } from "../../src/journal/events/event.ts";
import { type EventLog, type EventLogOptions, openEventLog } from "../../src/journal/events/event-log.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { atEnd, type Ending, temporaryDirectory } from "../basics/ending.ts";

/** A line that the event log said. */
export interface Said {
  severity: string;
  message: string;
  [member: string]: unknown;
}

export type OpenedLog = Awaited<ReturnType<typeof openLog>>;

/** An event log on real files, and what it said. */
export async function openLog(test: Ending, options: Partial<EventLogOptions> = {}) {
  const directory = options.directory ?? join(await temporaryDirectory(test), "events");
  const said: Said[] = [];
  const events = await openEventLog({
    directory,
    log: (severity, message, members) => void said.push({ severity, message, ...members }),
    now: () => new Date(),
    reserve: createReserve(directory),
    timers: createTimers(),
    uptime: () => performance.now() / 1_000,
    ...options,
  });
  atEnd(test, () => events.close());
  return { events, directory, said };
}

/** A change of the user of this name. */
export function change(name: string, details: EventFacts["details"] = {}): EventFacts {
  return {
    type: "user.changed",
    actor: { kind: "user", id: `usr_${"1".repeat(32)}`, name: "root-admin" },
    subject: { id: `usr_${createHash("md5").update(name).digest("hex")}`, name },
    from: "192.0.2.1",
    requestId: "request-1",
    details,
  };
}

export function refusal(from: string, operation = "login"): EventFacts {
  return {
    type: "sign_in.refused",
    actor: { kind: "anonymous", id: null, name: null },
    subject: null,
    from,
    requestId: "request-2",
    details: { operation },
  };
}

/** An event of the product, counted by its room. */
export function report(code: string, count = 1): EventFacts {
  return {
    type: "product.reported",
    actor: { kind: "product", id: "pump.service", name: "pump.service" },
    subject: null,
    ...{ from: "local", requestId: null, count },
    details: { code, level: "notice", is_message: false, en: `The valve says ${code}` },
  };
}

/** Everything that is kept, fetched page by page as a client would. */
export async function allEvents(events: EventLog, limit = 200): Promise<AuditEvent[]> {
  const all: AuditEvent[] = [];
  let after = 0;
  for (let pages = 0; pages < 1_000; pages += 1) {
    const page = await events.list({ after, limit });
    all.push(...page.items);
    if (page.next_cursor === null) return all;
    after = Number(page.next_cursor);
  }
  throw new Error("the pages do not end");
}

/** The files of the directory with their sizes, in order of name. */
export async function filesOf(directory: string) {
  const names = (await readdir(directory)).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      return { name, path, sizeBytes: (await stat(path)).size };
    }),
  );
}

export async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, "utf8")).split("\n").slice(0, -1);
}
