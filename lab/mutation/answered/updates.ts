import type { Answer } from "../answered.ts";

/** Faults of the room updates that no test can notice. */
export const answersOfUpdates: readonly Answer[] = [
  {
    file: "src/updates/check/check-run.ts",
    source:
      "return updateKinds.flatMap((kind) => (blockers[kind] === null ? [] : (available[kind]?.id ?? [])));",
    replacement: '["Stryker was here"]',
    why: "It keeps the payload of one release more, which there is none of.",
  },
  {
    file: "src/updates/check/check.ts",
    source: "if (aside.length === 0) return whole;",
    replacement: "false",
    why: "Without any that was set aside the second selection is the first one again, which it spares.",
  },
  {
    file: "src/updates/apply/installer-requests.ts",
    source: 'return ids.filter((id) => typeof id === "string");',
    replacement: "true",
    why: "Who asks looks for the ids of payloads among them, none of which is missing; the type alone asks for it.",
  },
];
