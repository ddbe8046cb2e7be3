import type { EventReach } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { allPages, createListEnd } from "../client/all-pages.ts";
import type { Invocation } from "../client/command.ts";
import type { Client } from "../client/context.ts";
import { journalFindings, readJournalPoints } from "./event-journal.ts";
import {
  createVerification,
  type Finding,
  type Verification,
  type VerifiedChain,
} from "./event-verification.ts";

/** Fetches every event and checks them; throws CommandError(1) naming the first that is wrong. */
export async function verifyEvents({ options, client, output, places }: Invocation): Promise<void> {
  const file = options.text("journal");
  const isAgainstJournal = options.has("against-journal") || file !== undefined;
  if (isAgainstJournal && file === undefined && places.url !== undefined) {
    throw new CommandError(
      2,
      "The journal of another device is not here: export it there, and name it with --journal.",
    );
  }
  if (places.tokenFile !== undefined) await requireAdministrator(client);
  // Read before the events: a head that is said meanwhile would be one that they do not reach.
  const journal = isAgainstJournal ? await readJournalPoints(file) : undefined;
  const verification = createVerification();
  const checkEnd = createListEnd();
  const { reach = null } = await allPages(async (query) => {
    const page = await client.call("listEvents", { query: { after: 0, ...query } });
    checkEnd(page);
    const { items, ...rest } = page;
    if (page.reach !== undefined) verification.beginAt(page.reach.chain_from);
    for (const event of items) verification.add(event);
    // They are checked as they come, and not kept.
    return { ...rest, items: [] };
  });
  const outside = journal ? journalFindings(journal, verification) : [];
  const all = [...verification.findings(), ...outside].sort((a, b) => a.seq - b.seq);
  const chains = verification.chains();
  const rows = chains.map(({ log, events, first, head }) => [log, events, first.seq, head.seq, head.hash]);
  await output.table(
    { is_intact: all.length === 0, chains: chains.map(described), reach, findings: all },
    { heads: ["LOG", "EVENTS", "FIRST", "LAST", "HEAD"], rows },
  );
  refuse(all);
  const words =
    `${summary(verification, journal?.heads.length)} ${reachWords(reach, verification.kept())}`.trim();
  // The requested check could not be made: a script must not take that for a proof.
  if (journal?.heads.length === 0) throw new CommandError(1, words);
  await output.remark(words);
}

/** Other users see only part of the events, which would look like tampering. */
async function requireAdministrator(client: Client): Promise<void> {
  const { role } = await client.call("getMe", {});
  if (role === "admin") return;
  throw new CommandError(
    4,
    `Only an administrator sees every event, and this token belongs to a user who is ${role}.`,
  );
}

function described({ log, events, first, head }: VerifiedChain): object {
  return {
    log,
    events,
    first_seq: first.seq,
    anchor: first.previous_hash,
    last_seq: head.seq,
    hash: head.hash,
  };
}

function refuse(findings: readonly Finding[]): void {
  const [first] = findings;
  if (!first) return;
  const more = findings.length > 1 ? ` ${findings.length - 1} more are wrong after it.` : "";
  throw new CommandError(1, `The event log is not as it was written: ${first.seq} ${first.what}.${more}`);
}

/** An agent of an earlier release does not say how far back its record goes. */
function reachWords(reach: EventReach | null, kept: number): string {
  if (reach === null) return "";
  const before = kept === 0 ? "" : ` ${kept} changes from before the chain are kept.`;
  return `The record is complete since ${reach.complete_since ?? "its beginning"}.${before}`;
}

function summary(verification: Verification, heads: number | undefined): string {
  const events = verification.chains().reduce((sum, chain) => sum + chain.events, 0);
  const checked = `${events} events were checked: hashes, chains, order and gaps.`;
  if (heads === undefined)
    return `${checked} Only the journal shows whether the end was cut off: --against-journal.`;
  if (heads === 0)
    return `${checked} The journal has no head of the log, so a cut end would go unnoticed. The agent writes one at least every 10 minutes while there are events; an exported journal must have its lines (journalctl -o json -u steward).`;
  return `${checked} The log reaches all ${heads} heads that the journal knows.`;
}
