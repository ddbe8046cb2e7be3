import type { Uptime } from "./ports.ts";

/**
 * The files of releases, as the installer changes them. Each call is one step: a crash comes before or after it, and once
 * it has settled it is on the disk. Throws `storage_full`, `storage_unwritable`. The last component of a path is never
 * followed if it is a link.
 */
export interface ReleaseFiles {
  /** null: absent. Throws if it is longer, or not a regular file. */
  read(path: string, maximumBytes: number): Promise<Uint8Array | null>;
  /** After a crash either the old or the new content is there, complete. */
  write(path: string, content: string | Uint8Array, mode: number): Promise<void>;
  /** With its missing parents. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** The names in it, sorted; none if it does not exist. */
  names(directory: string): Promise<readonly string[]>;
  /** With its content. An absent path is not an error. */
  remove(path: string): Promise<void>;
  /** Renames a file or a directory on the same file system. The new name must be free, or that of a file. */
  move(from: string, to: string): Promise<void>;
  /** Replaces the symbolic link at `path` atomically; null: removes it. */
  link(path: string, target: string | null): Promise<void>;
  /** The target of the symbolic link; null: there is none. */
  linkTarget(path: string): Promise<string | null>;
  sync(directory: string): Promise<void>;
  freeBytes(directory: string): Promise<number>;
}

export interface UnitState {
  readonly isActive: boolean;
  /** It has failed, and systemd does not start it again. */
  readonly isFailed: boolean;
  /** Unclean exits since it was last started on request (NRestarts, and the one by which it failed). */
  readonly uncleanExits: number;
  /** Changes with each start; empty: never started. */
  readonly invocation: string;
}

/** The units of systemd, controlled by root. Throws `not_found`, `internal_error`. */
export interface Units {
  state(unit: string): Promise<UnitState>;
  /** Resets the failure counter of the unit, restarts it, and waits for the job. */
  restart(unit: string): Promise<void>;
  /** Reloads it, or restarts it if it cannot reload. */
  reload(unit: string): Promise<void>;
  /** Starts or restarts it without waiting. */
  begin(unit: string): Promise<void>;
  /** The newest log lines of the unit and of systemd about it since then, without control characters. */
  log(unit: string, sinceMilliseconds: number, mostLines: number): Promise<readonly string[]>;
}

/**
 * The activation of releases of a kind on this device, and the check of their health. Root decides it in the host file.
 */
export interface ApplyPlan {
  /** Reloaded for rules, restarted for a binary; it must be active to be healthy. null: none. */
  readonly unit: string | null;
  /**
   * A program with its arguments that activates a release instead; `{release}` is replaced by the release's directory.
   */
  readonly activate: readonly string[] | null;
  /** A program that tests a release before it is activated, as an unused user id and without network. */
  readonly selfTest: readonly string[] | null;
  readonly health: HealthPlan;
}

export interface HealthPlan {
  readonly http: readonly HttpCheck[];
  /** Healthy if it ends with 0. */
  readonly command: readonly string[] | null;
  /** Healthy answers in a row that make a release healthy. */
  readonly successes: number;
  readonly intervalSeconds: number;
  /** Seconds after the activation within which these answers must have come. */
  readonly withinSeconds: number;
}

export interface HttpCheck {
  /** `http:` on loopback. */
  readonly url: string;
  readonly status: number;
  /** The member of the JSON answer that must be the release's version; null: not checked. */
  readonly versionMember: string | null;
}

export interface HealthAnswer {
  readonly isHealthy: boolean;
  /** For people: the answer of each check. */
  readonly words: string;
}

/** An active release: rules or a binary in its own directory. */
export interface ReleaseAtWork {
  readonly kind: "rules" | "binary";
  /** null: the state before any release, with an unknown version. */
  readonly version: string | null;
  /** Absolute: `current` of its kind, or the directory where it is tested. */
  readonly directory: string;
}

export interface ReleaseHost {
  readonly files: ReleaseFiles;
  /** null: without systemd, as in a trial run. */
  readonly units: Units | null;
  readonly uptime: Uptime;
  readonly bootId: string;
  /** The wall clock, right or wrong. */
  readonly now: () => Date;
  readonly pause: (seconds: number) => Promise<void>;
  /** Activates a release. Throws if that cannot be started. */
  activate(plan: ApplyPlan, release: ReleaseAtWork): Promise<void>;
  /** One health check of at most 10 s. Never throws. */
  askHealth(plan: ApplyPlan, release: ReleaseAtWork): Promise<HealthAnswer>;
  /** Runs the self-test. Throws `update_self_test_failed` with its last output. */
  selfTest(command: readonly string[], release: ReleaseAtWork): Promise<void>;
  /** Unpacks a payload into a new directory. Throws `update_payload_unsafe`, `storage_full`. */
  unpack(payload: string, directory: string): Promise<void>;
}
