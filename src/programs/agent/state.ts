import { lateDocumentNames } from "../../contract/document-names.ts";
import { finding, line } from "../../contract/finding.ts";
import type { Finding } from "../../contract/types.ts";
import { agentEvent, type EventSink } from "../../journal/events/event.ts";
import type { EventLog } from "../../journal/events/event-log.ts";
import type { Log } from "../../journal/logs/log.ts";
import { updateRecordKind } from "../../releases/update-record.ts";
import type { Document, OpenedDocument } from "../../store/documents/document.ts";
import { type Damage, type Register, registerName } from "../../store/documents/register.ts";
import type { Disk } from "../../store/files/disk.ts";
import type { HealthCheck } from "../../system/health.ts";
import type { Documents, OpenLater } from "./documents.ts";

/** Joins the opened documents and the events to the state: findings become events, and health reports trouble. */
export async function openState({ register, disk, ...opened }: Documents, events: EventLog, log: Log) {
  const { documents } = opened;
  const lost = await tellFindings(register, events);
  const all: readonly OpenedDocument<object>[] = Object.values(documents);
  const troubles = troublesOf(
    all.map((document) => ({ name: document.name, trouble: () => documentTrouble(document, disk) })),
    register,
  );
  const late = createLate(opened.openLater, { register, disk, events });
  const disks = { name: "disk", trouble: () => disk.trouble() };
  const checks: readonly HealthCheck[] = [disks, ...troubles.checks];
  for (const { name, trouble } of checks) {
    const found = trouble();
    if (found !== null)
      log("warning", "a document needs attention", { document: name, detail: found.detail });
  }
  observeDisk(disk, log);
  // A finding of a start on a read-only disk would be lost at the next start: by then the damage is repaired.
  disk.observe(() => register.settle());
  return {
    ...documents,
    events,
    register,
    // The check of updates reports the document of updates as well.
    checks: [
      ...checks.filter(({ name }) => name !== updateRecordKind.name),
      { name: "events", trouble: () => events.trouble() },
      { name: "notifications", trouble: late.trouble },
    ],
    openLater: late.open,
    /** The time at which a backup last left the device; null: never. */
    lastBackupAt: () => documents.updates.read().last_backup_at ?? null,
    /** Those of the start, and those that were needed since. */
    openedDocuments: () => [...all, ...late.opened],
    disk,
    /** The trouble with the record of updates that a person should know of; null: none. */
    updatesTrouble: () => troubles.named(updateRecordKind.name),
    /** True if this start found that something may be missing in the document. */
    hasLost: (document: Pick<Document<object>, "name">) => lost.has(document.name),
    close: async () => {
      disk.stop();
      await events.close();
      for (const document of [...all, ...late.opened]) await document.close();
    },
  };
}

export type State = Awaited<ReturnType<typeof openState>>;

/** The documents that are opened when they are first needed, with one check for all of them. */
function createLate(
  openLater: OpenLater,
  { register, disk, events }: Pick<Documents, "register" | "disk"> & { readonly events: EventSink },
) {
  const opened: OpenedDocument<object>[] = [];
  const troubleOf = (name: string): Finding | null => {
    const document = opened.find((one) => one.name === name);
    return (document && documentTrouble(document, disk)) ?? described(name, register.findings());
  };
  const open: OpenLater = async (kind) => {
    const document = await openLater(kind);
    opened.push(document);
    await tellFindings(register, events);
    return document;
  };
  return {
    open,
    opened,
    trouble: () => lateDocumentNames.map(troubleOf).find((found) => found !== null) ?? null,
  };
}

/** Records each new finding as an event, once, and returns the names of the documents that have lost something. */
async function tellFindings(register: Register, events: EventSink): Promise<ReadonlySet<string>> {
  const fresh = register.findings().filter(({ isTold }) => !isTold);
  for (const { document, damage = "unrecorded", replacement = "unrecorded", isLoss, detail } of fresh) {
    const details = { document, damage, replacement, is_loss: isLoss, detail };
    await events.record(agentEvent("state.damage_found", details));
  }
  await register.told();
  return new Set(fresh.flatMap(({ document, isLoss }) => (isLoss ? [document] : [])));
}

/** The trouble with each document: why it cannot be written, or a finding that is not accepted. */
function troublesOf(documents: readonly Pick<Document<object>, "name" | "trouble">[], register: Register) {
  const none = { name: registerName, trouble: () => null };
  const checks = [...documents, none].map(
    (document): HealthCheck => ({
      name: document.name,
      trouble: () => document.trouble() ?? described(document.name, register.findings()),
    }),
  );
  return {
    checks,
    named: (wanted: string): Finding | null => checks.find(({ name }) => name === wanted)?.trouble() ?? null,
  };
}

function described(name: string, findings: readonly Damage[]): Finding | null {
  const own = findings.filter(({ document }) => document === name);
  const newest = own.at(-1);
  if (newest === undefined) return null;
  const { damage = "unrecorded", replacement = "unrecorded" } = newest;
  const found = own.map(({ at, detail }) => `${at}: ${detail}`).join(" ");
  const accept = `steward state accept ${name}`;
  return finding(
    "document_damage_found",
    { document: name, found_at: newest.at, damage, replacement },
    found,
    line(accept),
  );
}

/** The disk's own trouble is reported once, and not by each document that waits for it. */
function documentTrouble(document: OpenedDocument<object>, disk: Disk): Finding | null {
  if (document.failure() === null || disk.trouble() === null) return document.trouble();
  return finding("document_waiting", { document: document.name }, 'See the check "disk".');
}

function observeDisk(disk: Disk, log: Log): void {
  let said = disk.trouble() !== null;
  disk.observe(() => {
    const found = disk.trouble();
    if ((found !== null) === said) return;
    said = found !== null;
    if (found !== null) log("warning", "the disk needs attention", { detail: found.detail });
    else log("notice", "the disk can be written and has space again");
  });
}
