import type { StewardError } from "../../contract/errors.ts";
import { eventLogs } from "../../contract/event-records.ts";
import type { AuditEvent } from "../../contract/types.ts";
import type { Timers } from "../../host/ports.ts";
import { storageError } from "../../store/files/durable-file.ts";
import type { Reserve } from "../../store/files/reserve.ts";
import { type EventFiles, type WaitingEvent, waitingEvent } from "./event-files.ts";
import type { LogName } from "./event-segments.ts";

/** Seconds before a failed write is tried again. */
const retrySeconds = 5;

/** Writes events to the disk; events that arrive together share a write. */
export class EventWriter {
  readonly #files: Readonly<Record<LogName, EventFiles>>;
  readonly #directory: string;
  readonly #timers: Timers;
  readonly #reserve: Reserve;
  readonly #waiting: Record<LogName, WaitingEvent[]> = { changes: [], refusals: [], reports: [] };
  /** Callers that wait for the end of the next attempt. */
  #callers: (() => void)[] = [];
  #running: Promise<void> | null = null;
  #failure: StewardError | null = null;
  #takeRetryBack = (): void => undefined;

  constructor(
    files: Readonly<Record<LogName, EventFiles>>,
    directory: string,
    timers: Timers,
    reserve: Reserve,
  ) {
    this.#files = files;
    this.#directory = directory;
    this.#timers = timers;
    this.#reserve = reserve;
  }

  /** False if so much waits already that this event cannot be kept. */
  hasRoom(log: LogName): boolean {
    const used = this.#waiting[log].reduce((sum, { line }) => sum + line.length, 0);
    return used < this.#files[log].waitingBytes;
  }

  /** Settles when it is on the disk, or waits in memory because the disk takes nothing. Never throws. */
  write(event: AuditEvent): Promise<void> {
    this.#waiting[event.log].push(waitingEvent(event));
    return this.#attemptSoon();
  }

  /** In the order of seq within each log. */
  waiting(): AuditEvent[] {
    return eventLogs.flatMap((log) => this.#waiting[log]).map(({ event }) => event);
  }

  trouble(): StewardError | null {
    return this.#failure;
  }

  /** Writes the remaining events if the disk can be written. */
  async close(): Promise<void> {
    await this.#attemptSoon();
    this.#takeRetryBack();
  }

  #attemptSoon(): Promise<void> {
    return new Promise((resolve) => {
      this.#callers.push(resolve);
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    // One turn, so that events which arrive together are written together.
    await Promise.resolve();
    while (this.#callers.length > 0) {
      const callers = this.#callers;
      this.#callers = [];
      await this.#attempt();
      for (const resolve of callers) resolve();
    }
    this.#running = null;
  }

  /** One attempt. On a full disk the reserve makes room once, but for changes only: strangers and the product cause the rest. */
  async #attempt(): Promise<void> {
    const reserve = this.#reserve;
    try {
      await this.#writeAll().catch(async (error: unknown) => {
        const isFull = storageError(this.#directory, error).code === "storage_full";
        if (!isFull || this.#waiting.changes.length === 0 || !(await reserve.release())) throw error;
        await this.#writeAll();
      });
      if (this.#failure) void reserve.refill().catch(() => undefined);
      this.#failure = null;
    } catch (error) {
      this.#failed(error);
    }
  }

  /**
   * Refusals are left to the kernel, which keeps them when the process is killed. When another event is made durable, the
   * events before it are too: a number that is missing before it was therefore taken away.
   */
  async #writeAll(): Promise<void> {
    const waiting = this.#waiting;
    const isDurable = waiting.changes.length + waiting.reports.length > 0;
    for (const log of ["refusals", "reports", "changes"] as const) {
      await this.#files[log].append(waiting[log]);
      if (isDurable) await this.#files[log].sync();
    }
  }

  #failed(error: unknown): void {
    this.#failure = storageError(this.#directory, error);
    this.#takeRetryBack();
    this.#takeRetryBack = this.#timers.after(retrySeconds, () => void this.#attemptSoon());
  }
}
