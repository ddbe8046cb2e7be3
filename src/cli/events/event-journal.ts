import { spawn } from "node:child_process";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { rethrown } from "../../contract/errors.ts";
import { objectIn } from "../../contract/text/json-of.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { fileFailure } from "../../terminal/failure.ts";
import type { ChainPoint, Finding, Verification, VerifiedChain } from "./event-verification.ts";

/** The journal's lines about the event log. */
export type JournalPoints = Awaited<ReturnType<typeof readJournalPoints>>;

interface Journal {
  input: Readable;
  /** Throws where it was not read to its end. */
  ended: Promise<void>;
}

/** Reads the agent's journal, or a file that `journalctl -o json` made. Throws CommandError(1), (3) or (4). */
export async function readJournalPoints(file: string | undefined) {
  const heads: ChainPoint[] = [];
  const drops: ChainPoint[] = [];
  const known = new Set<string>();
  const { input, ended } = file === undefined ? ofThisMachine() : await ofFile(file);
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const entry = agentEntryIn(line);
    // After a factory reset, or on a copied state: what was said before is of another record.
    if (entry?.message === "event log started over") for (const points of [heads, drops]) points.length = 0;
    const point = entry && pointOf(entry);
    if (!point) continue;
    const key = `${entry.message} ${point.log} ${point.seq} ${point.hash}`;
    // An audit line is in the namespace of audit lines, and may be in the journal as well.
    if (known.has(key)) continue;
    known.add(key);
    (entry.message === "event log head" ? heads : drops).push(point);
  }
  await ended;
  return {
    /** Heads that the agent said, oldest first. */
    heads,
    /** The last events of dropped segments. */
    drops,
  };
}

/** Points that the journal has and the log has not: the tail was cut, or the past rewritten. */
export function journalFindings({ heads, drops }: JournalPoints, verification: Verification): Finding[] {
  const chains = verification.chains();
  const gone = heads.filter((point, index) => {
    const isLast = heads.findLastIndex(({ log }) => log === point.log) === index;
    return isLast && chains.every(({ log }) => log !== point.log);
  });
  return [
    ...gone.map(({ log, seq }) => ({ seq, what: `is missing, and with it all of ${log}, by the journal` })),
    ...chains.flatMap((chain) => [
      ...anchorFindings(drops, chain),
      ...heads.flatMap((point) => headFindings(point, chain, verification)),
    ]),
  ].sort((a, b) => a.seq - b.seq);
}

function anchorFindings(drops: readonly ChainPoint[], { log, first }: VerifiedChain): Finding[] {
  const dropped = drops.filter((point) => point.log === log);
  if (dropped.length === 0 || dropped.some(({ hash }) => hash === first.previous_hash)) return [];
  return [{ seq: first.seq, what: `follows on no event that the journal saw dropped from ${log}` }];
}

function headFindings(point: ChainPoint, chain: VerifiedChain, verification: Verification): Finding[] {
  const { log, first, head } = chain;
  if (point.log !== log || point.seq < first.seq) return [];
  if (point.seq > head.seq) {
    const what = `is missing from ${log}, which reached ${point.seq} by the journal`;
    return [{ seq: head.seq + 1, what }];
  }
  if (verification.hashOf(log, point.seq) === point.hash) return [];
  return [{ seq: point.seq, what: `has another hash in the journal: ${log} was rewritten` }];
}

async function ofFile(file: string): Promise<Journal> {
  const handle = await open(file).catch(rethrown((error) => fileFailure(error, file)));
  return { input: handle.createReadStream(), ended: Promise.resolve() };
}

function ofThisMachine(): Journal {
  const args = ["--namespace=+steward", "--output=json", "--unit=steward.service", "--no-pager"];
  const child = spawn("journalctl", args, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve, reject) => {
    const fail = (why: string) =>
      reject(
        new CommandError(
          1,
          `The journal cannot be read (${why}). Run this as root on the device, or name an exported journal with --journal.`,
        ),
      );
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => (code === 0 ? resolve() : fail(`journalctl ended with ${code}`)));
  });
  ended.catch(() => undefined);
  return { input: child.stdout, ended };
}

/** The agent's own JSON line inside a line of the journal. */
function agentEntryIn(line: string): Record<string, unknown> | undefined {
  // Most lines of a long journal are about something else, and need not be parsed to know it.
  if (!line.includes("event log ")) return undefined;
  const entry = objectIn(line);
  // The field next to a sentence; or, from an agent that could only write to standard error, the message itself.
  const text = entry?.STEWARD_JSON ?? entry?.MESSAGE;
  return typeof text === "string" ? objectIn(text) : undefined;
}

function pointOf({ message, log, seq, last_seq, hash }: Record<string, unknown>): ChainPoint | undefined {
  const at =
    message === "event log head" ? seq : message === "event log segment dropped" ? last_seq : undefined;
  if (typeof log !== "string" || typeof at !== "number" || typeof hash !== "string") return undefined;
  return { log, seq: at, hash };
}
