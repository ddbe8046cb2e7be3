import type { Trouble } from "../../contract/types.ts";
import { agentEvent, type EventSink } from "../../journal/events/event.ts";
import type { Document } from "../../store/documents/document.ts";
import { type Finding, type Register, readRegister, registerName } from "../../store/documents/register.ts";
import type { HealthCheck } from "../../system/health.ts";

/** The documents of every release that kept no register of them. */
export const beforeRegister: readonly string[] = [
  "users",
  "settings",
  "sessions",
  "attempts",
  "tokens",
  "used-codes",
  "clock",
  "updates",
];

/** The documents whose absence is damage, of a directory that holds state. */
export async function knownDocuments(directory: string): Promise<ReadonlySet<string>> {
  const { documents } = (await readRegister(directory)) ?? { documents: beforeRegister };
  return new Set(["users", ...documents]);
}

/** Writes each new finding down as an event, once, and returns the names of the documents that have lost something. */
export async function tellFindings(register: Register, events: EventSink): Promise<ReadonlySet<string>> {
  const fresh = register.findings().filter(({ isTold }) => !isTold);
  for (const { document, detail } of fresh) {
    await events.record(agentEvent("state.damage_found", { document, detail }));
  }
  await register.told();
  return new Set(fresh.flatMap(({ document, isLoss }) => (isLoss ? [document] : [])));
}

/** What a person should know of each document: why it cannot be written, else what was found and is not accepted. */
export function troublesOf(
  documents: readonly Pick<Document<object>, "name" | "trouble">[],
  register: Register,
) {
  const none = { name: registerName, trouble: () => null };
  const checks = [...documents, none].map(
    (document): HealthCheck => ({
      name: document.name,
      code: "state_document",
      trouble: () => document.trouble() ?? described(document.name, register.findings()),
    }),
  );
  return {
    checks,
    named: (wanted: string): Trouble | null => checks.find(({ name }) => name === wanted)?.trouble() ?? null,
  };
}

function described(name: string, findings: readonly Finding[]): Trouble | null {
  const own = findings.filter(({ document }) => document === name);
  const newest = own.at(-1);
  if (newest === undefined) return null;
  const found = own.map(({ at, detail }) => `${at}: ${detail}`).join(" ");
  return {
    code: "document_damage_found",
    facts: { document: name, found_at: newest.at },
    detail: `${found} After you have checked what may be missing: \`steward state accept ${name}\`.`,
  };
}
