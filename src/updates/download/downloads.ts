import { asStewardError, StewardError } from "../../contract/errors.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { pauseFor } from "../../host/pause.ts";
import { inForceIds } from "../../releases/journal-queries.ts";
import type { Patch } from "../../releases/patches/patch.ts";
import type { ReleaseJournal } from "../../releases/release-journal.ts";
import type { StoredRelease } from "../../releases/update-record.ts";
import type { FoundTarget } from "../../tuf/client.ts";
import type { Progress } from "../facts/progress.ts";
import type { FetchPlan, ReleaseName, UpdaterOptions } from "../facts/updater-options.ts";

export interface FetchOrder extends Omit<FetchPlan, "onProgress"> {
  readonly targets: ReadonlyMap<string, FoundTarget>;
  readonly patches: readonly Patch[];
  /** Ids of payloads that a full disk does without. */
  readonly dispensable: readonly string[];
  /** Asked before each: a setting may have been changed meanwhile. */
  readonly isWanted: (release: StoredRelease) => boolean;
}

/** Failures after which the rest can come over the same line a moment later. */
const cuts: readonly string[] = ["update_server_unreachable", "update_too_slow"];

/**
 * Bytes that a try must bring for the next one to follow at once: a line that is cut every few minutes brings them, a
 * server that gives a byte at a time does not, and would keep this device from asking for newer metadata.
 */
const leastProgressBytes = 65_536;

/** Seconds to the next try, drawn from these: many devices may have been cut off together. */
const pauseSeconds = { least: 5, most: 15 };

/** The staged payloads, and those that could not be fetched. */
export class Downloads {
  readonly #options: UpdaterOptions;
  readonly #progress: Progress;
  readonly #failures = new Map<string, StewardError>();
  #staged: ReadonlySet<string> = new Set();
  #downloading: ReleaseName | null = null;
  /** True until a check has looked. */
  #arePatchesOffered = true;
  readonly #inUse: () => readonly string[];

  constructor(options: UpdaterOptions, progress: Progress, inUse: () => readonly string[]) {
    this.#options = options;
    this.#progress = progress;
    this.#inUse = inUse;
  }

  isStaged(id: string): boolean {
    return this.#staged.has(id);
  }

  /** The error of the last try; null: it did not fail. */
  failureOf(id: string): StewardError | null {
    return this.#failures.get(id) ?? null;
  }

  /** The release that is being downloaded; null: none. */
  downloading(): ReleaseName | null {
    return this.#downloading;
  }

  /** Looks on the disk. */
  async load(): Promise<void> {
    this.#staged = new Set(await this.#options.payloads.staged());
  }

  /** A check has found these patches on offer, and no others. */
  patchesFound(patches: readonly Patch[]): void {
    this.#arePatchesOffered = patches.length > 0;
  }

  /** Releases in force whose payloads stay for patches that begin with them, if any (docs/design/updates.md, rule 15). */
  formers(journal: ReleaseJournal): readonly string[] {
    const here = inForceIds(journal).filter((id) => this.isStaged(id));
    // Node's zlib, which is asked last, is not loaded for nothing.
    const isKept = here.length > 0 && this.#arePatchesOffered && this.#options.payloads.takesPatches();
    return isKept ? here : [];
  }

  /** Removes payloads that are neither of these releases nor in use. */
  async keepOnly(ids: readonly string[]): Promise<void> {
    for (const id of this.#failures.keys()) if (!ids.includes(id)) this.#failures.delete(id);
    await this.#options.payloads.keepOnly([...ids, ...this.#inUse()]);
    await this.load();
  }

  /** Removes what of these is here. */
  async drop(ids: readonly string[]): Promise<void> {
    const here = ids.filter((id) => this.isStaged(id));
    if (here.length === 0) return;
    await this.#options.payloads.remove(here);
    await this.load();
  }

  /** Fetches one after the other; the error of the first that failed, or null. Throws only the signal's reason. */
  async fetchAll(order: FetchOrder): Promise<StewardError | null> {
    let first: StewardError | null = null;
    for (const kind of updateKinds) {
      const release = this.#options.record.read().available[kind];
      const target = release && order.targets.get(release.id);
      if (!release || !target || this.isStaged(release.id) || !order.isWanted(release)) continue;
      const failure = await this.#fetch(release, target, order);
      first ??= failure;
    }
    return first;
  }

  /** null: it is staged. */
  async #fetch(
    release: StoredRelease,
    target: FoundTarget,
    { patches, dispensable, repository, signal, isConsistentSnapshot }: FetchOrder,
  ): Promise<StewardError | null> {
    const { id, kind, name, version, length_bytes } = release;
    const report = (done_bytes: number): void =>
      this.#progress.report({
        phase: "downloading",
        release_id: id,
        name,
        done_bytes,
        total_bytes: length_bytes,
      });
    this.#downloading = { kind, name, version };
    report(0);
    try {
      const fetching = { repository, signal, isConsistentSnapshot };
      await this.#persist(signal, (onProgress) =>
        this.#withRoom(dispensable, () =>
          this.#options.payloads.fetch(
            { id, target, patches },
            { ...fetching, onProgress: (doneBytes) => report(onProgress(doneBytes)) },
          ),
        ),
      );
      this.#staged = new Set([...this.#staged, id]);
      this.#failures.delete(id);
      this.#options.notify("update.staged", { release_id: id, kind, name, version });
      return null;
    } catch (error) {
      signal.throwIfAborted();
      return this.#failed(release, error);
    } finally {
      this.#downloading = null;
    }
  }

  /** A disk that is too full for it does without former payloads, and it is tried once more. */
  async #withRoom(dispensable: readonly string[], fetch: () => Promise<void>): Promise<void> {
    try {
      await fetch();
    } catch (error) {
      const isFull = error instanceof StewardError && error.code === "storage_full";
      if (!isFull || !dispensable.some((id) => this.isStaged(id))) throw error;
      await this.drop(dispensable);
      await fetch();
    }
  }

  /** Tries again after a cut, as long as each try gets further than all before; throws what the last one threw. */
  async #persist(
    signal: AbortSignal,
    fetch: (onProgress: (doneBytes: number) => number) => Promise<void>,
  ): Promise<void> {
    let furthest = 0;
    const onProgress = (doneBytes: number): number => {
      furthest = Math.max(furthest, doneBytes);
      return doneBytes;
    };
    // The bytes that were here already count as progress of the first try: then there is one more.
    for (let before = 0; ; before = furthest) {
      try {
        return await fetch(onProgress);
      } catch (error) {
        if (!isCut(error) || furthest - before < leastProgressBytes) throw error;
      }
      await this.#pause(signal);
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { timers, random } = this.#options;
    await pauseFor(pauseSeconds.least + (pauseSeconds.most - pauseSeconds.least) * random(), {
      timers,
      signal,
    });
    signal.throwIfAborted();
  }

  #failed({ id, kind, name, version }: StoredRelease, cause: unknown): StewardError {
    const error = asStewardError(cause, "The download");
    const { code, message: detail } = error;
    const isNews = this.#failures.get(id)?.code !== code;
    this.#failures.set(id, error);
    const facts = { release_id: id, kind, name, version, code, detail };
    if (isNews) this.#options.notify("update.download_failed", facts);
    return error;
  }
}

/** False if the server has asked for a wait. */
function isCut(error: unknown): boolean {
  if (!(error instanceof StewardError)) return false;
  return cuts.includes(error.code) && error.details.retryAfterSeconds === undefined;
}
