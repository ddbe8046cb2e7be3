import { requestStatuses, severityWords } from "../../contract/schemas/logs.ts";
import type { LogEntry, LogList, LogQuery } from "../../contract/types.ts";
import { UsageError } from "../../terminal/command-error.ts";
import { type GivenOptions, whereGiven } from "../../terminal/commands/command.ts";
import { allPages } from "../client/all-pages.ts";
import type { Command, Invocation } from "../client/command.ts";
import type { Client } from "../client/context.ts";
import { followStream } from "../client/follow.ts";

/** Lines shown without --limit. */
const usualLines = 100;
const usualLinesBeforeFollowing = 10;

const mostLines = 10_000;

export const logs: Command = {
  path: ["logs"],
  summary: "Show the log of the agent and the allowed units, the oldest line first",
  examples: [
    { line: "steward logs --since 15m --priority warning", what: "recent warnings and errors" },
    { line: "steward logs -f", what: "also show new lines as they are written" },
  ],
  options: [
    { name: "follow", short: "f", excludes: "until", summary: "also show new lines as they are written" },
    { name: "unit", value: "UNIT", summary: "only this systemd unit, such as steward.service" },
    {
      name: "since",
      value: "TIME",
      summary: "only lines since this time: RFC 3339, or how long ago (90s, 15m, 6h, 7d)",
    },
    { name: "until", value: "TIME", summary: "only lines until this time, in the same form" },
    { name: "priority", value: "PRIORITY", values: severityWords, summary: "the least severity shown" },
    { name: "search", value: "TEXT", summary: "only lines whose message contains this text" },
    {
      name: "status",
      value: "STATUS",
      values: requestStatuses,
      summary: "only requests with this outcome (failed: 4xx and 5xx)",
    },
    { name: "user", value: "NAME", live: "users", summary: "only requests of this user or their API tokens" },
    {
      name: "limit",
      value: "N",
      summary: `the newest N lines (${usualLines}; ${usualLinesBeforeFollowing} with -f)`,
    },
  ],
  worksOffline: true,
  async run(invocation) {
    const { options, client, output } = invocation;
    const isFollowing = options.has("follow");
    const limit = readLimit(options) ?? (isFollowing ? usualLinesBeforeFollowing : usualLines);
    const filters = readFilters(options);
    const until = whereGiven({ until: options.text("until") });
    const list = await readLines(client, { ...filters, ...until }, limit);
    if (isFollowing) return follow(invocation, filters, list.items.toReversed());
    if (options.text("output") === "json") return output.document(list);
    for (const entry of list.items.toReversed()) await output.line(entry, [lineOf(entry)]);
  },
};

type Filters = Pick<LogQuery, "unit" | "since" | "priority" | "q" | "status" | "user">;

function readFilters(options: GivenOptions): Filters {
  return whereGiven({
    unit: options.text("unit"),
    since: options.text("since"),
    priority: severityWords.find((word) => word === options.text("priority")),
    q: options.text("search"),
    status: requestStatuses.find((one) => one === options.text("status")),
    user: options.text("user"),
  });
}

function readLimit(options: GivenOptions): number | undefined {
  const text = options.text("limit");
  if (text === undefined) return undefined;
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= mostLines) return limit;
  throw new UsageError(`--limit must be a number from 1 to ${mostLines}, not "${text}".`);
}

/** All pages needed, as one in the shape of the API. */
async function readLines(
  client: Client,
  query: Omit<LogQuery, "limit" | "cursor">,
  limit: number,
): Promise<LogList> {
  const all: LogList = await allPages(
    (page) => client.call("listLogs", { query: { ...query, ...page } }),
    limit,
  );
  // The last page has the total.
  return all.next_cursor === null ? { ...all, total: all.items.length } : all;
}

/** The past lines, then new ones; each once, though the stream may begin among the past ones. */
async function follow(invocation: Invocation, filters: Filters, present: readonly LogEntry[]): Promise<void> {
  const { output } = invocation;
  for (const entry of present) await output.line(entry, [lineOf(entry)]);
  const last = present.at(-1);
  await followStream(invocation, {
    id: "streamLogs",
    input: { query: { ...filters, ...(last === undefined && { since: filters.since ?? "0s" }) } },
    lastEventId: last?.cursor,
    onMessage: async ({ data }) => {
      // The contract's type, as the agent sends it.
      const entry = data as LogEntry;
      await output.line(entry, [lineOf(entry)]);
    },
  });
}

/** Time, priority, unit, message and further members. The text may come from an attacker, so it is escaped. */
function lineOf({ time, priority, unit, message, members }: LogEntry): string {
  const facts = Object.entries(members ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [time, priority.padEnd(7), unit, message, ...facts].join(" ");
}
