import { useRef, useState } from "preact/hooks";
import type { TimeProbe } from "../../contract/types.ts";
import { call } from "../client/call.ts";
import { ProblemError } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";

interface Probing {
  /** The last answers of the servers; null: none yet. */
  readonly found: TimeProbe | null;
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Asks these, unless they are those that were asked last. */
  ask(servers: readonly string[], isAgain?: boolean): void;
}

/** A test is begun at most this often while another one is under way. */
const mostTries = 5;

/** Asks time servers, one test behind the other; of those that wait only the newest counts. */
export function useProbe(): Probing {
  const [found, setFound] = useState<TimeProbe | null>(null);
  const waiting = useRef<readonly string[] | null>(null);
  const last = useRef("");
  // The answers before stay where the next question is refused.
  const { isBusy, error, run } = useAction(async () => {
    for (;;) {
      const servers = waiting.current;
      if (servers === null) return;
      waiting.current = null;
      await probe(servers).then(setFound, (problem: unknown) => {
        if (waiting.current === null) throw problem;
      });
    }
  });
  return {
    ...{ found, isBusy, error },
    ask: (servers, isAgain = false) => {
      const named = namedServers(servers);
      if (named.length === 0 || (!isAgain && last.current === named.join(" "))) return;
      last.current = named.join(" ");
      waiting.current = named;
      void run();
    },
  };
}

/** The servers of rows, of which some may be empty or say the same. */
export function namedServers(rows: readonly string[]): readonly string[] {
  return [...new Set(rows.map((one) => one.trim()).filter((one) => one !== ""))];
}

/** Waits where servers were asked a moment ago, by this page or another one. */
async function probe(servers: readonly string[]): Promise<TimeProbe> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call("probeTimeServers", { body: { servers: [...servers] } });
    } catch (error) {
      const seconds = error instanceof ProblemError ? error.problem.retry_after : undefined;
      if (seconds === undefined || tries === mostTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}
