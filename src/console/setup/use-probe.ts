import { useRef, useState } from "preact/hooks";
import { type TimeServerEntry, timeServer, withHost } from "../../contract/clock/time-server.ts";
import type { TimeProbe } from "../../contract/types.ts";
import { call } from "../client/call.ts";
import { ProblemError } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";

/** Answers, each in the place of the server that was asked. */
export interface Found extends TimeProbe {
  readonly asked: readonly TimeServerEntry[];
}

/** A test is begun at most this often while another one is under way. */
const mostTries = 5;

/** Tests time servers one after another; of those waiting only the newest counts. `ask` skips known ones unless `isAgain`. */
export function useProbe() {
  const [found, setFound] = useState<Found | null>(null);
  const waiting = useRef<readonly TimeServerEntry[] | null>(null);
  const last = useRef("");
  // The answers before stay where the next question is refused.
  const { isBusy, error, run } = useAction(async () => {
    for (;;) {
      const servers = waiting.current;
      if (servers === null) return;
      waiting.current = null;
      await probe(servers).then(
        (answers) => setFound({ ...answers, asked: servers }),
        (problem: unknown) => {
          if (waiting.current === null) throw problem;
        },
      );
    }
  });
  return {
    found,
    isBusy,
    error,
    ask: (servers: readonly TimeServerEntry[], isAgain = false): void => {
      const named = namedServers(servers);
      const question = JSON.stringify(named);
      if (named.length === 0 || (!isAgain && last.current === question)) return;
      last.current = question;
      waiting.current = named;
      void run();
    },
  };
}

/** The servers of rows, of which some may be empty or name the same: then the one with NTS is meant. */
export function namedServers(rows: readonly TimeServerEntry[]): readonly TimeServerEntry[] {
  const named = new Map<string, TimeServerEntry>();
  for (const row of rows) {
    const { host: written, nts } = timeServer(row);
    const host = written.trim();
    if (host !== "" && (nts || !named.has(host))) named.set(host, withHost(row, host));
  }
  return [...named.values()];
}

/** Waits where servers were asked a moment ago, by this page or another one. */
async function probe(servers: readonly TimeServerEntry[]): Promise<TimeProbe> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call("probeTimeServers", { body: { servers: [...servers] } }, { patience: 60 });
    } catch (error) {
      const seconds = error instanceof ProblemError ? error.problem.retry_after : undefined;
      if (seconds === undefined || tries === mostTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}
