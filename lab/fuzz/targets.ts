import type { Target } from "./target.ts";

/** The targets by name. Each is loaded when it is its turn. */
export const targets: Readonly<Record<string, Target>> = {
  api: { cases: 20_000, run: async (fuzzing) => (await import("./api/fuzz-api.ts")).fuzzApi(fuzzing) },
  socket: { cases: 3_000, run: async (fuzzing) => (await import("./socket.ts")).fuzzSocket(fuzzing) },
  ntp: { cases: 300_000, run: async (fuzzing) => (await import("./ntp.ts")).fuzzNtp(fuzzing) },
  tuf: { cases: 30_000, run: async (fuzzing) => (await import("./tuf.ts")).fuzzTuf(fuzzing) },
  tar: { cases: 5_000, run: async (fuzzing) => (await import("./tar.ts")).fuzzTar(fuzzing) },
  downloads: {
    cases: 1_000,
    run: async (fuzzing) => (await import("./downloads.ts")).fuzzDownloads(fuzzing),
  },
  settings: { cases: 5_000, run: async (fuzzing) => (await import("./settings.ts")).fuzzSettings(fuzzing) },
};
