import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { messageOf } from "../../../contract/errors.ts";
import type { KeyExchangeOptions } from "../../host.ts";
import type {
  KeyExchangeFailureCode,
  KeyExchangeOutcome,
  KeyExchanges,
  KeyRequest,
} from "../../nts-ports.ts";
import { systemPath } from "../commands.ts";
import { type NumberedOutcome, onEachLine, outcomeIn, readsLine, requestLine } from "./key-exchange-lines.ts";

/** Milliseconds that a process may take until it reads: a slow device that is busy takes ten seconds to start Node. */
const startMilliseconds = 30_000;

/** Milliseconds after which a process that reads and does not answer is killed: an exchange itself gives up after 5 s. */
const longestMilliseconds = 8_000;

/** Milliseconds for which a process without a request is kept: servers are asked twice within a round at the start. */
const idleMilliseconds = 5_000;

export interface KeyExchangeProcessPlan extends KeyExchangeOptions {
  /** 30 s, 8 s and 5 s by default. */
  readonly startMilliseconds?: number;
  readonly longestMilliseconds?: number;
  readonly idleMilliseconds?: number;
}

/**
 * Key exchanges by nts-key-exchange.js: TLS would take 1 MiB of this process, or 4 with Node 24, for as long as it runs,
 * and what a server sends is read where a fault ends only that process. One process serves all who ask until five seconds
 * have passed without a request; it ends with this one, whose end of the pipe it sees close. The keys come through that
 * pipe, and are in no argument and no file.
 */
export function createKeyExchanges(plan: KeyExchangeProcessPlan): KeyExchanges {
  let present: KeyExchanges | null = null;
  const open = (): KeyExchanges => {
    present ??= new Conversation(plan, () => {
      present = null;
    });
    return present;
  };
  return { prepare: () => open().prepare(), exchange: (request) => open().exchange(request) };
}

/** One process, from its start until `onEnd`. */
class Conversation implements KeyExchanges {
  readonly #child: ChildProcess;
  /** Requests that have no answer yet. */
  readonly #waiting = new Map<
    number,
    { readonly settle: (outcome: KeyExchangeOutcome) => void; deadline: NodeJS.Timeout }
  >();
  readonly #startMilliseconds: number;
  readonly #longestMilliseconds: number;
  readonly #onEnd: () => void;
  readonly #rest: NodeJS.Timeout;
  #reads = false;
  #asked = 0;
  #hasEnded = false;

  constructor(plan: KeyExchangeProcessPlan, onEnd: () => void) {
    this.#startMilliseconds = plan.startMilliseconds ?? startMilliseconds;
    this.#longestMilliseconds = plan.longestMilliseconds ?? longestMilliseconds;
    this.#onEnd = onEnd;
    this.#rest = setTimeout(() => this.#endIfIdle(), plan.idleMilliseconds ?? idleMilliseconds).unref();
    this.#child = start(plan);
    this.#child.once("error", (error) => this.#end(unusable(messageOf(error))));
    this.#child.once("close", (status, signal) =>
      this.#end(unusable(`it ended with ${signal ?? `status ${status}`}`)),
    );
    if (this.#child.stdout)
      onEachLine(
        this.#child.stdout,
        (line) => this.#read(line),
        () => this.#end(illegible),
      );
  }

  prepare(): void {
    this.#rest.refresh();
  }

  exchange(request: KeyRequest): Promise<KeyExchangeOutcome> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve) => {
      this.#waiting.set(id, { settle: resolve, deadline: this.#deadline() });
      this.#child.stdin?.write(requestLine({ id, request }));
    });
  }

  #deadline(): NodeJS.Timeout {
    const milliseconds = this.#reads ? this.#longestMilliseconds : this.#startMilliseconds;
    return setTimeout(() => this.#end(unanswered), milliseconds);
  }

  #read(line: string): void {
    const answer = outcomeIn(line);
    if (line === readsLine) this.#begin();
    else if (answer === null) this.#end(illegible);
    else this.#settle(answer);
  }

  #settle({ id, outcome }: NumberedOutcome): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.deadline);
    this.#rest.refresh();
    waiting?.settle(outcome);
  }

  /** Requests that came while the process was started have their time from now on. */
  #begin(): void {
    if (this.#reads) return;
    this.#reads = true;
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.deadline);
      waiting.deadline = this.#deadline();
    }
  }

  #endIfIdle(): void {
    if (this.#waiting.size === 0) this.#end(unanswered);
  }

  /** Those who wait get this outcome. */
  #end(outcome: KeyExchangeOutcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#child.kill("SIGKILL");
    this.#onEnd();
    clearTimeout(this.#rest);
    for (const { settle, deadline } of this.#waiting.values()) {
      clearTimeout(deadline);
      settle(outcome);
    }
    this.#waiting.clear();
  }
}

/** It keeps no event loop awake: the timer of a request does so. */
function start({ node, script, caFile, directory, own }: KeyExchangeOptions): ChildProcess {
  const child = spawn(node, [script, JSON.stringify({ caFile, directory, own })], {
    env: { PATH: systemPath, LC_ALL: "C" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as Socket | null)?.unref();
  // A request to a process that has ended: its end says more.
  child.stdin?.on("error", () => undefined);
  return child;
}

const unanswered = failed("nts_no_answer", null);
const illegible = unusable("its answer cannot be read");

function unusable(why: string): KeyExchangeOutcome {
  return failed(
    "nts_cannot_verify",
    `the process of key exchanges failed: ${why}; the next exchange starts another`,
  );
}

function failed(code: KeyExchangeFailureCode, cause: string | null): KeyExchangeOutcome {
  return { kind: "failed", failure: cause === null ? code : `${code} ${cause}` };
}
