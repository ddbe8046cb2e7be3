import { StewardError } from "../../contract/errors.ts";
import type { UpdateEventType } from "../../contract/event-types.ts";
import type { UpdateTrust } from "../../contract/types.ts";
import type { UpdateRecord } from "../../releases/update-record.ts";
import type { Document } from "../../store/documents/document.ts";
import type { MetadataFiles } from "../../tuf/metadata-files.ts";
import { unreadable } from "../check/check-refusals.ts";
import { createRootFollowing, type InstalledRoot, readRoot, remembering } from "./root-following.ts";
import { otherFingerprint, usable } from "./trust-refusals.ts";
import { type Standing, trustView } from "./trust-view.ts";

/** Whose signatures this device goes by. */
export interface Trust {
  /** As of the last load. */
  standing(): Standing;
  view(): UpdateTrust;
  /** Installed, confirmed, and proven by the server of the settings. */
  isEstablished(): boolean;
  /** Why the root that is installed now cannot be used; null where there is none, or nothing is wrong with it. */
  unusable(): Promise<StewardError | null>;
  /** Reads the installed root anew, and lets the trusted metadata follow it. Never throws. */
  load(): Promise<Standing>;
  /**
   * Loads, and does `work` while nothing changes the trusted metadata from under it. Throws
   * `update_trust_not_established`, `update_root_unusable`, and what `work` throws.
   */
  during<T>(work: (fingerprint: string) => Promise<T>): Promise<T>;
  /** Settles when nothing is being read or written: a look at the root may write what the next agent reads. */
  settled(): Promise<void>;
  /** Loads; throws `update_trust_not_established`, `update_root_unusable`. */
  require(): Promise<void>;
  /** Throws `update_trust_not_established`, `update_root_unusable`, `validation_failed` for another fingerprint. */
  confirm(fingerprint: string, by: string): Promise<void>;
}

export interface TrustOptions {
  readonly record: Document<UpdateRecord>;
  readonly files: MetadataFiles;
  /** null: there is none. Throws `update_root_unusable` for a file that others than root could write. */
  readonly readInstalledRoot: () => Promise<Uint8Array | null>;
  readonly server: () => string;
  readonly now: () => Date;
  readonly notify: (type: UpdateEventType, details: Record<string, string | number | boolean | null>) => void;
  /** Another trust has begun: nothing that was fetched under the former counts any more. */
  readonly onReplaced: () => Promise<void>;
}

export function createTrust(options: TrustOptions): Trust {
  return new InstalledTrust(options);
}

class InstalledTrust implements Trust {
  readonly #options: TrustOptions;
  readonly #readInstalled = remembering(readRoot);
  readonly #follow: (installed: InstalledRoot) => Promise<Standing>;
  #standing: Standing = { kind: "none" };
  /** One at a time: a refresh writes the files that another root would clear. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: TrustOptions) {
    this.#options = options;
    this.#follow = createRootFollowing(options);
  }

  standing(): Standing {
    return this.#standing;
  }

  view(): UpdateTrust {
    const { record, server } = this.#options;
    return trustView(this.#standing, record.read(), server());
  }

  isEstablished(): boolean {
    return this.view().established;
  }

  async unusable(): Promise<StewardError | null> {
    try {
      await this.#read();
      return null;
    } catch (error) {
      if (error instanceof StewardError) return error;
      throw error;
    }
  }

  load(): Promise<Standing> {
    return this.#inTurn(() => this.#load());
  }

  async settled(): Promise<void> {
    await this.#turn;
  }

  async require(): Promise<void> {
    usable(await this.load());
  }

  during<T>(work: (fingerprint: string) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      const { fingerprint } = usable(await this.#load());
      try {
        return await work(fingerprint);
      } finally {
        // New roots are kept before the rest of a refresh may fail.
        await this.#load();
      }
    });
  }

  async confirm(fingerprint: string, by: string): Promise<void> {
    const { record, now } = this.#options;
    const installed = usable(await this.#fresh());
    if (installed.fingerprint !== fingerprint) throw otherFingerprint(installed.fingerprint);
    const confirmation = { fingerprint, at: now().toISOString(), by: by.slice(0, 128) };
    await record.update((present) => ({ ...present, confirmation }));
  }

  /** A check may take minutes: what it goes by need not wait for its end, unless the root was changed meanwhile. */
  async #fresh(): Promise<Standing> {
    const standing = this.#standing;
    const installed = await this.#read().catch(() => null);
    const isSame = standing.kind === "usable" && installed?.trust.fingerprint === standing.fingerprint;
    return isSame ? standing : this.load();
  }

  async #load(): Promise<Standing> {
    const before = this.#standing;
    try {
      const installed = await this.#read();
      this.#standing = installed === null ? { kind: "none" } : await this.#follow(installed);
    } catch (error) {
      this.#standing = { kind: "unusable", error: error instanceof StewardError ? error : unreadable(error) };
    }
    this.#noticeRotation(before);
    return this.#standing;
  }

  async #read(): Promise<InstalledRoot | null> {
    const bytes = await this.#options.readInstalledRoot();
    return bytes === null ? null : { bytes, trust: await this.#readInstalled(bytes) };
  }

  #noticeRotation(before: Standing): void {
    const after = this.#standing;
    if (before.kind !== "usable" || after.kind !== "usable" || before.fingerprint !== after.fingerprint)
      return;
    const [former, present] = [before.inForce.version, after.inForce.version];
    if (present > former)
      this.#options.notify("update.root_rotated", { from_version: former, version: present });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
