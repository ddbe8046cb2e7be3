import { StewardError } from "../../contract/errors.ts";
import { eventGroups } from "../../contract/event-records.ts";
import { isUsername } from "../../contract/shapes.ts";
import { asUsername } from "../../contract/text/names.ts";
import type { AuditEvent, User } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { type GivenOptions, whereGiven } from "../../terminal/commands/command.ts";
import type { Command, Invocation } from "../client/command.ts";
import { followStream } from "../client/follow.ts";
import { userNamed } from "../users/user-lookup.ts";
import { verifyEvents } from "./events-verify.ts";

const list: Command = {
  path: ["events"],
  summary: "Show the record of events, newest last, or check that it was not altered",
  examples: [
    {
      line: "steward events --name ana --since 7d",
      what: "what was done by ana, or to the account of ana, this week",
    },
    { line: "steward events --verify --against-journal", what: "was the record tampered with?" },
  ],
  options: [
    { name: "type", value: "TYPE", summary: "only events of this type, such as user.created" },
    {
      name: "group",
      value: "GROUP",
      values: Object.keys(eventGroups),
      summary: "only events of a group of types: all about users, the clock, …",
    },
    {
      name: "name",
      value: "TEXT",
      summary: "only events by or about the account of this name or id, or things with this in their names",
    },
    { name: "refused", summary: "only refusals" },
    {
      name: "since",
      value: "TIME",
      summary: "only events since this time: RFC 3339, or how long ago (90s, 15m, 6h, 7d)",
    },
    {
      name: "until",
      value: "TIME",
      excludes: "follow",
      summary: "only events until this time, in the same form",
    },
    { name: "after", value: "SEQ", summary: "only events after this one, oldest first" },
    { name: "limit", value: "N", summary: "how many at most: 50 by default, up to 200" },
    { name: "cursor", value: "TEXT", excludes: "follow", summary: "the next page: `next_cursor` of -o json" },
    { name: "follow", short: "f", excludes: "verify", summary: "also show new events as they happen" },
    { name: "verify", summary: "check both hash chains, and whether events are missing" },
    {
      name: "against-journal",
      summary: "with --verify: also check that the record is as long as the journal says",
    },
    { name: "journal", value: "FILE", summary: "an exported journal (journalctl -o json)" },
  ],
  worksOffline: true,
  async run(invocation) {
    const { options } = invocation;
    if (options.has("verify")) return verifyEvents(invocation);
    if (options.has("against-journal") || options.has("journal")) {
      throw new CommandError(2, "--against-journal and --journal belong to --verify.");
    }
    const filter = await filterOf(invocation);
    if (options.has("follow")) return follow(invocation, filter);
    const { client, output } = invocation;
    const page = await client.call("listEvents", { query: { ...filter, ...placeOf(options) } });
    await output.table(page, { heads: eventHeads, rows: inOrder(page.items).map(eventCells) });
  },
};

export const eventCommands: readonly Command[] = [list];

function placeOf(options: GivenOptions) {
  return whereGiven({
    since: options.text("since"),
    until: options.text("until"),
    cursor: options.text("cursor"),
    after: numberOf(options, "after"),
    limit: numberOf(options, "limit"),
  });
}

async function filterOf(invocation: Invocation) {
  const { options } = invocation;
  const name = options.text("name");
  return whereGiven({
    type: options.text("type"),
    group: options.text("group"),
    name: name === undefined ? undefined : await accountNamed(invocation, name),
    outcome: options.has("refused") ? ("refused" as const) : undefined,
  });
}

function numberOf(options: GivenOptions, name: string): number | undefined {
  const text = options.text(name);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new CommandError(2, `--${name} expects a number, not "${text}".`);
}

/** The newest last, where a terminal's reader looks first. */
function inOrder(events: readonly AuditEvent[]): AuditEvent[] {
  return events.toSorted((a, b) => a.seq - b.seq);
}

async function follow(invocation: Invocation, filter: Awaited<ReturnType<typeof filterOf>>): Promise<void> {
  const { options, client, output } = invocation;
  const query = { ...filter, ...placeOf(options) };
  const page = await client.call("listEvents", { query });
  const shown = inOrder(page.items);
  for (const event of shown) await output.line(event, eventCells(event));
  await followStream(invocation, {
    id: "streamEvents",
    input: { query: filter },
    lastEventId: String(shown.at(-1)?.seq ?? query.after ?? 0),
    onMessage: async ({ event, data, id }) => {
      // `steward update check` shows progress; an event that repeats comes again as a line with a count.
      if (event === "progress" || (event === "event" && id === "")) return;
      if (event === "gap") return output.remark("Some events in between are no longer stored.");
      // The contract's type, by the agent that sent it.
      const shown = data as AuditEvent;
      await output.line(shown, eventCells(shown));
    },
  });
}

const eventHeads = ["TIME", "SEQ", "TYPE", "WHO", "SUBJECT", "FROM", "OUTCOME", "DETAILS"] as const;

/** Characters of the details that a row shows; all of them are in the JSON. */
const shownDetails = 80;

function eventCells(event: AuditEvent): readonly unknown[] {
  const { time, seq, type, actor, subject, from } = event;
  const who = actor.name ?? actor.kind;
  return [time, seq, type, who, subject?.name, from, outcomeOf(event), detailsOf(event.details)];
}

function outcomeOf({ outcome, code, count }: AuditEvent): string {
  const name = code ?? outcome;
  return count > 1 ? `${name} (${count} times)` : name;
}

function detailsOf(details: Readonly<Record<string, unknown>>): string {
  const text = Object.entries(details)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : String(value)}`)
    .join(" ");
  return text.length > shownDetails ? `${text.slice(0, shownDetails - 1)}…` : text;
}

/** An account that no longer exists, and the times between which it did; null: the record does not say. */
interface FormerAccount {
  readonly id: string;
  readonly from: string | null;
  readonly to: string;
}

/** The filter for a name: the account that has it, else the last that had it. Any other text stays. */
async function accountNamed({ client, output }: Invocation, text: string): Promise<string> {
  const name = asUsername(text);
  if (!isUsername(name)) return text;
  let present: User | undefined;
  try {
    present = await userNamed(client, name);
  } catch (error) {
    if (!(error instanceof StewardError && error.status === 403)) throw error;
    await output.remark(
      "Only those who may list users can tell apart users of the same name: all of them are searched.",
    );
    return text;
  }
  const eventsOf = async (type: "user.created" | "user.deleted") =>
    (await client.call("listEvents", { query: { type, name, limit: 200 } })).items.filter(
      ({ subject }) => subject?.name === name && subject.id !== present?.id,
    );
  const former = formerAccounts(await eventsOf("user.created"), await eventsOf("user.deleted"));
  const [last, ...earlier] = former;
  if (last === undefined) return present?.id ?? text;
  if (present === undefined)
    await output.remark(
      `There is no user ${name} now. These events are about the former user, ${lifeOf(last)}.`,
    );
  for (const one of present ? former : earlier)
    await output.remark(`Another ${name}, ${lifeOf(one)}, is left out: steward events --name ${one.id}`);
  return present?.id ?? last.id;
}

/** The last deleted first, as the agent gives events. */
function formerAccounts(made: readonly AuditEvent[], gone: readonly AuditEvent[]): FormerAccount[] {
  return gone.map(({ subject, time }) => {
    const id = subject?.id ?? "";
    return { id, from: made.find((one) => one.subject?.id === id)?.time ?? null, to: time };
  });
}

function lifeOf({ from, to }: FormerAccount): string {
  return `${from === null ? "" : `added at ${from} and `}deleted at ${to}`;
}
