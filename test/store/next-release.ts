import { documentNames } from "../../src/contract/document-names.ts";
import { documentKinds } from "../../src/programs/agent/documents.ts";
import type { Document } from "../../src/store/documents/document.ts";
import { type OpenOptions, openDocument } from "../../src/store/documents/document.ts";
import type { DocumentKind, Migration } from "../../src/store/documents/document-kind.ts";
import { createReserve } from "../../src/store/files/reserve.ts";

type Members = Record<string, unknown>;
type Schema = { required: readonly string[]; properties: Record<string, object> };

/** Lists of records, by the names that the documents have for them. */
const lists = ["accounts", "sessions", "tokens", "users"];

/** The documents of a device that has started: those that are opened at first use are not there. */
function startedKinds(): DocumentKind<object>[] {
  const names: readonly string[] = documentNames;
  return documentKinds({}).filter(({ name }) => names.includes(name));
}

/** The documents of a release that adds a member to each of them and to each record in them, of its own making. */
export function minorKinds(): DocumentKind<Members>[] {
  return startedKinds().map((kind) => {
    const [major, minor] = kind.formatVersion.split(".").map(Number);
    const version = `${major}.${Number(minor) + 1}.0`;
    const { required, properties, ...schema } = kind.schema as Schema;
    // As such migrations are written: it does not look whether the member is there already.
    const addMood: Migration = (members) => {
      members.set("mood", "begun");
      for (const list of lists) {
        const records = members.get(list);
        if (Array.isArray(records))
          members.set(
            list,
            records.map((one) => ({ ...one, mood: "begun" })),
          );
      }
    };
    return {
      ...kind,
      formatVersion: version,
      schema: {
        ...schema,
        required: [...(required ?? []), "mood"],
        properties: { ...properties, mood: { type: "string" } },
      },
      defaults: { ...kind.defaults, mood: "begun" },
      migrations: { ...kind.migrations, [version]: addMood },
      isNewVersion: undefined,
    } as unknown as DocumentKind<Members>;
  });
}

/** The documents of a release that has them in another form altogether, of a version that is above all of today's. */
export function majorKinds(): DocumentKind<Members>[] {
  return startedKinds().map((kind) => ({
    name: kind.name,
    formatVersion: "9.0.0",
    schema: {
      type: "object",
      additionalProperties: false,
      required: ["inside"],
      properties: { inside: kind.schema, mood: { type: "string" } },
    },
    defaults: { inside: kind.defaults },
    migrations: {
      ...kind.migrations,
      "9.0.0": (members) => {
        const names = Object.keys(kind.defaults);
        members.set("inside", Object.fromEntries(names.map((name) => [name, members.get(name)])));
        for (const name of names) members.delete(name);
      },
    },
    onLoss: kind.onLoss,
  }));
}

/** Opens all documents of a directory as that release would, and closes them after `work`. */
export async function asNextRelease(
  directory: string,
  kinds: readonly DocumentKind<Members>[],
  work: (documents: readonly Document<Members>[]) => Promise<void> = async () => undefined,
  options: Partial<OpenOptions> = {},
): Promise<string[]> {
  const findings: string[] = [];
  const found = async ({ detail }: { detail: string }) => void findings.push(detail);
  const reserve = createReserve(directory);
  const documents = await Promise.all(
    kinds.map((kind) => openDocument(directory, kind, { isFirstStart: false, reserve, found, ...options })),
  );
  await work(documents);
  for (const document of documents) await document.close();
  return findings;
}

/** The member that the release has added, in the document and in each of its records. */
export function moodsOf(members: Members): unknown[] {
  const records = lists.flatMap((list) => (Array.isArray(members[list]) ? members[list] : []) as Members[]);
  return [members, ...records].map(({ mood }) => mood);
}

/** The same with another one everywhere. */
export function withMood(members: Members, mood: string): Members {
  const changed = Object.entries(members).map(([name, value]) =>
    lists.includes(name) && Array.isArray(value)
      ? [name, value.map((one: object) => ({ ...one, mood }))]
      : [name, value],
  );
  return { ...Object.fromEntries(changed), mood };
}
