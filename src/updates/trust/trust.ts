import { messageOf, StewardError } from "../../contract/errors.ts";
import type { UpdateTrust } from "../../contract/types.ts";
import { continuedRecord, replacedRecord } from "../../releases/update-record.ts";
import { createDerived } from "../../store/documents/look-up.ts";
import { oneAtATime } from "../../store/one-at-a-time.ts";
import type { Root } from "../../tuf/metadata.ts";
import type { RootFollower, RootFollowingOptions } from "../../tuf/root-following.ts";
import type { UpdaterOptions } from "../facts/updater-options.ts";
import { type TrustState, trustView } from "./trust-view.ts";

interface TrustOptions
  extends Pick<UpdaterOptions, "record" | "files" | "readInstalledRoot" | "now" | "notify" | "uptime"> {
  readonly server: () => string;
  /** Loads what reads roots: a device without a root does without it. */
  readonly openFollower: (options: RootFollowingOptions) => Promise<RootFollower>;
  /** Another trust has begun: what was downloaded under the former one does not count. */
  readonly onReplaced: () => Promise<void>;
  /** A poll has found a usable root where there was none. */
  readonly onInstalled: () => void;
}

/** Seconds between polls of the installed root while the status is being read. */
const pollSeconds = 5;

/** The installed root of trust, and whether it is confirmed and proven. */
export class Trust {
  readonly #options: TrustOptions;
  readonly #viewOf = createDerived(trustView);
  #follower: Promise<RootFollower> | null = null;
  #state: TrustState = { kind: "none" };
  #polledAt: number;
  /** One at a time: a refresh writes the files that another root would clear. */
  readonly #inTurn = oneAtATime();

  constructor(options: TrustOptions) {
    this.#options = options;
    this.#polledAt = options.uptime();
  }

  /** As of the last load. */
  state(): TrustState {
    return this.#state;
  }

  view(): UpdateTrust {
    const { record, server } = this.#options;
    return this.#viewOf(this.#state, record.read(), server());
  }

  /** Installed, confirmed, and proven by the server of the settings. */
  isEstablished(): boolean {
    return this.view().established;
  }

  /** The reason why the root that is installed now cannot be used; null: no root is installed, or it can be used. */
  async unusable(): Promise<StewardError | null> {
    try {
      await this.#fingerprint();
      return null;
    } catch (error) {
      if (error instanceof StewardError) return error;
      throw error;
    }
  }

  /** Reads the installed root again, and makes the trusted metadata follow it. Never throws. */
  load(): Promise<TrustState> {
    return this.#inTurn(() => this.#load());
  }

  /** Looks now and then for another root. It shows at the next reading, since no reading waits for the disk. */
  poll(): void {
    const { uptime, onInstalled } = this.#options;
    if (uptime() - this.#polledAt < pollSeconds) return;
    this.#polledAt = uptime();
    const before = this.#state.kind;
    void this.load().then(({ kind }) => {
      if (before !== "usable" && kind === "usable") onInstalled();
    });
  }

  /** Settles when nothing is being read or written: following a root writes what the next agent reads. */
  async settled(): Promise<void> {
    await this.#inTurn(async () => undefined);
  }

  /** Loads; throws `update_trust_not_established`, `update_root_unusable`. */
  async require(): Promise<void> {
    usable(await this.load());
  }

  /**
   * Loads, and does `work` while nothing else changes the trusted metadata. Throws `update_trust_not_established`,
   * `update_root_unusable`, and what `work` throws.
   */
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

  /** Throws `update_trust_not_established`, `update_root_unusable`, `validation_failed` for another fingerprint. */
  async confirm(fingerprint: string, by: string): Promise<void> {
    const { record, now } = this.#options;
    const installed = usable(await this.#fresh());
    if (installed.fingerprint !== fingerprint) throw otherFingerprint(installed.fingerprint);
    const confirmation = { fingerprint, at: now().toISOString(), by: by.slice(0, 128) };
    await record.update((present) => ({ ...present, confirmation }));
  }

  /** Without waiting for a check, which may take minutes, unless the root was changed meanwhile. */
  async #fresh(): Promise<TrustState> {
    const state = this.#state;
    const installed = await this.#fingerprint().catch(() => null);
    const isSame = state.kind === "usable" && installed === state.fingerprint;
    return isSame ? state : this.load();
  }

  async #load(): Promise<TrustState> {
    const before = this.#state;
    try {
      const installed = await this.#options.readInstalledRoot();
      const present: TrustState = installed === null ? { kind: "none" } : await this.#follow(installed);
      // The same value while nothing changes, so that its view is not made again at each poll.
      if (!isSame(present, before)) this.#state = present;
    } catch (error) {
      this.#state = { kind: "unusable", error: error instanceof StewardError ? error : unreadable(error) };
    }
    this.#noticeRotation(before);
    return this.#state;
  }

  /** The fingerprint of the installed root; null: no root is installed. */
  async #fingerprint(): Promise<string | null> {
    const installed = await this.#options.readInstalledRoot();
    return installed && (await this.#openFollower()).read(installed).fingerprint;
  }

  async #follow(installed: Uint8Array): Promise<TrustState> {
    const follower = await this.#openFollower();
    const { fingerprint, version, inForce, change } = await follower.follow(installed);
    const details = { fingerprint, root_version: version, goes_on: change === "continued" };
    if (change !== "none") this.#options.notify("update.trust_installed", details);
    return { kind: "usable", fingerprint, inForce };
  }

  #openFollower(): Promise<RootFollower> {
    const { record, files, openFollower, onReplaced } = this.#options;
    this.#follower ??= openFollower({
      files,
      anchor: () => record.read().anchor,
      onContinued: async (fingerprint) => {
        await record.update((present) => continuedRecord(present, fingerprint));
      },
      onReplaced: async (fingerprint) => {
        await onReplaced();
        await record.update((present) => replacedRecord(present, fingerprint));
      },
    });
    return this.#follower;
  }

  #noticeRotation(before: TrustState): void {
    const after = this.#state;
    if (before.kind !== "usable" || after.kind !== "usable" || before.fingerprint !== after.fingerprint)
      return;
    const [former, present] = [before.inForce.version, after.inForce.version];
    if (present > former)
      this.#options.notify("update.root_rotated", { from_version: former, version: present });
  }
}

function isSame(one: TrustState, other: TrustState): boolean {
  if (one.kind === "usable" && other.kind === "usable")
    return one.fingerprint === other.fingerprint && one.inForce === other.inForce;
  return one.kind === "none" && other.kind === "none";
}

/** Throws `update_trust_not_established`, `update_root_unusable` and what else kept it from being followed. */
function usable(state: TrustState): { fingerprint: string; inForce: Root } {
  if (state.kind === "usable") return state;
  if (state.kind === "unusable") throw state.error;
  throw new StewardError(
    "update_trust_not_established",
    "No root of trust is installed on this device. As root, run `steward update trust install FILE` with your publisher's root.json.",
  );
}

/** `update_root_unusable`: for an unexpected reason. */
function unreadable(cause: unknown): StewardError {
  const detail = messageOf(cause);
  return new StewardError("update_root_unusable", `The installed root of trust cannot be read: ${detail}.`, {
    cause,
  });
}

/** `validation_failed`: another fingerprint than that of the installed root. */
function otherFingerprint(installed: string): StewardError {
  const detail = `must be that of the installed root, which begins with ${installed.slice(0, 8)}`;
  return new StewardError(
    "validation_failed",
    "This is not the fingerprint of the installed root of trust. Compare it with your publisher's, digit by digit, and install the publisher's root if this is another one. Nothing was confirmed.",
    { details: { errors: [{ pointer: "/fingerprint", code: "mismatch", detail }] } },
  );
}
