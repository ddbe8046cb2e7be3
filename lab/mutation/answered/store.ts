import type { Answer } from "../answered.ts";

/** Faults of the room store that no test can notice. */
export const answersOfStore: readonly Answer[] = [
  {
    file: "src/store/documents/document-kind.ts",
    source: "const isAhead = isSameMajor(newest, version) && compareFormats(newest, version) > 0;",
    replacement: "compareFormats(newest, version) >= 0",
    why: "Where the two are equal, either is the newest.",
  },
  {
    file: "src/store/files/regular-file.ts",
    source: "await rm(path, { recursive: true, force: true });",
    replacement: "false",
    why: "Only of `force` it goes unnoticed: something has just been found there, and no test can take it away in between.",
  },
  {
    file: "src/store/validation/members.ts",
    source: "if (before === after) return after;",
    replacement: "false",
    why: "Of a thing that is the same nothing is carried over: it saves the walk through what did not change.",
  },
  {
    file: "src/store/files/lock.ts",
    source: `if (holder === undefined || !existsSync(\`/proc/\${holder}\`)) return unknownHolder;`,
    replacement: "false",
    why: "Only the first half goes unnoticed: there is no /proc/undefined; the type alone does not say so.",
  },
  {
    file: "src/store/validation/compile.ts",
    source: "validateSchema: false,",
    replacement: "true",
    why: "The schemas are good, which a test of the contract says: it spares a small device the check at each start.",
  },
  {
    file: "src/store/validation/schemas.ts",
    source: "compiler ??= createCompiler({ forSource: false });",
    replacement: "{}",
    why: "Not for source is what is not said; the type alone asks for it.",
  },
  {
    file: "src/store/validation/schemas.ts",
    source: "if (compiledValidators && !(name in compiledValidators))",
    replacement: "name in compiledValidators",
    why: "Tests are compiled from the sources, for which there are no validators of the build.",
  },
];
