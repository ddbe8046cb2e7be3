import type { Upload } from "../../contract/types.ts";
import { heldUpBy } from "./check-refusals.ts";
import type { CheckScheduler } from "./check-scheduler.ts";
import type { CheckParts } from "./hold-conditions.ts";
import { requireSettings } from "./settings-block.ts";

type Parts = Pick<CheckParts, "options" | "trust"> & { readonly checks: CheckScheduler };

/** Seconds that a file waits for the one before it: a sender who stops may send another before the agent notices. */
const patienceSeconds = 5;

/** Checks of repositories that are sent as a file, one at a time. */
export class UploadedChecks {
  readonly #parts: Parts;
  #isUnderWay = false;
  readonly #waiting = new Set<() => void>();
  #removal: Promise<void> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Unpacks a repository and begins its check; it is removed when that has ended. Before a byte is read it throws
   * `rate_limited`, `signature_verification_required`, `pinned_by_host`, `update_trust_not_established`,
   * `update_root_unusable`; after that what unpacking throws, and `rate_limited`.
   */
  async begin(upload: Upload): Promise<void> {
    if (this.#isUnderWay) await this.#nextEnd();
    if (this.#isUnderWay) throw heldUpBy("Another file with updates is being read");
    this.#isUnderWay = true;
    try {
      const { ended } = await this.#begin(upload);
      void ended.then(() => this.#end());
    } catch (error) {
      this.#end();
      await this.#removal;
      throw error;
    }
  }

  /** Settles when nothing of an upload is left. */
  async settled(): Promise<void> {
    await this.#removal;
  }

  async #begin(upload: Upload): Promise<{ readonly ended: Promise<unknown> }> {
    const { options, trust, checks } = this.#parts;
    requireSettings(options);
    checks.requireReplaceable();
    await trust.require();
    await this.#removal;
    const url = await options.uploaded.unpack(upload);
    return checks.replace({ url, isServer: false });
  }

  /** Settles when the one under way has ended, after some seconds in any case. */
  async #nextEnd(): Promise<void> {
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        cancel();
        this.#waiting.delete(settle);
        resolve();
      };
      const cancel = this.#parts.options.timers.after(patienceSeconds, settle);
      this.#waiting.add(settle);
    });
  }

  #end(): void {
    this.#isUnderWay = false;
    for (const settle of this.#waiting) settle();
    // If that fails, the next upload removes it, or the next start.
    this.#removal = this.#parts.options.uploaded.remove().catch(() => undefined);
  }
}
