import type { Uptime } from "./ports.ts";

/**
 * The files of releases, as root's side of an update changes them. Each call is one step that a crash may come before or
 * behind; what has settled is on the disk for good. Throws `storage_full`, `storage_unwritable`; links are never followed
 * at the end of a path.
 */
export interface ReleaseFiles {
  /** null: there is none. Throws for what is longer, or no regular file. */
  read(path: string, maximumBytes: number): Promise<Uint8Array | null>;
  /** The old or the new content is there, whole, whatever happens. */
  write(path: string, content: string | Uint8Array, mode: number): Promise<void>;
  /** With what is missing of its parents. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** What lies in it, sorted; none where it is absent. */
  names(directory: string): Promise<readonly string[]>;
  /** With all that is in it; nothing where it is absent. */
  remove(path: string): Promise<void>;
  /** Puts a file or a directory in another place of the same file system, which must be free or a file. */
  move(from: string, to: string): Promise<void>;
  /** Puts a symbolic link at `path` in the place of the one that was there, at once; null: none any more. */
  link(path: string, target: string | null): Promise<void>;
  /** Where the symbolic link leads; null: there is none. */
  linkTarget(path: string): Promise<string | null>;
  /** All that was written below the directory is on the disk. */
  sync(directory: string): Promise<void>;
  /** Bytes that the file system has left. */
  freeBytes(directory: string): Promise<number>;
}

/** A unit as systemd knows it. */
export interface UnitState {
  readonly isActive: boolean;
  /** It has ended with a failure, and systemd does not start it again. */
  readonly isFailed: boolean;
  /** Exits that were not clean since somebody started it (NRestarts, and the one that it failed by). */
  readonly uncleanExits: number;
  /** Another one after each start; empty: it has never been started. */
  readonly invocation: string;
}

/** systemd's units, as root controls them. Throws `not_found`, `internal_error`. */
export interface Units {
  state(unit: string): Promise<UnitState>;
  /** Clears what systemd counts against the unit, then restarts it; waits for the job. */
  restart(unit: string): Promise<void>;
  /** Reloads it, or restarts it where it cannot reload. */
  reload(unit: string): Promise<void>;
  /** Begins to start it, anew where it still runs, and does not wait. */
  begin(unit: string): Promise<void>;
  /** What it and systemd have said of it since then: the newest lines, at most so many, without what no terminal should see. */
  log(unit: string, sinceMilliseconds: number, mostLines: number): Promise<readonly string[]>;
}

/** How a kind of release is put to work here, and how it is known to be well. Root decides it in the host file. */
export interface ApplyPlan {
  /** Rules: reloaded; a binary: restarted; must be active to be healthy. null: there is none. */
  readonly unit: string | null;
  /** A program with its arguments that does it in the unit's place; `{release}` stands for the release's directory. */
  readonly activate: readonly string[] | null;
  /** A program that tries a release before it is put to work, as a user of nobody and without network. */
  readonly selfTest: readonly string[] | null;
  readonly health: HealthPlan;
}

export interface HealthPlan {
  readonly http: readonly HttpCheck[];
  /** Healthy when it ends with 0. */
  readonly command: readonly string[] | null;
  /** Healthy answers in a row that make a release good. */
  readonly successes: number;
  readonly intervalSeconds: number;
  /** Seconds from the activation within which they must have come. */
  readonly withinSeconds: number;
}

export interface HttpCheck {
  /** `http:` on loopback. */
  readonly url: string;
  readonly status: number;
  /** The member of the JSON answer that must be the release's version; null: not looked at. */
  readonly versionMember: string | null;
}

/** One look at whether a release is well. */
export interface HealthAnswer {
  readonly isHealthy: boolean;
  /** For people: what answered what. */
  readonly words: string;
}

/** What is put to work: rules or a binary in its own directory. */
export interface ReleaseAtWork {
  readonly kind: "rules" | "binary";
  /** null: what was there before any release, whose version nobody knows. */
  readonly version: string | null;
  /** Absolute; `current` of its kind, or where it is being tried. */
  readonly directory: string;
}

/** All that root's side of an update does to the host. */
export interface ReleaseHost {
  readonly files: ReleaseFiles;
  /** null: there is no systemd here, or not for us. */
  readonly units: Units | null;
  readonly uptime: Uptime;
  readonly bootId: string;
  /** The wall clock, however wrong. */
  readonly now: () => Date;
  /** Waits. */
  readonly pause: (seconds: number) => Promise<void>;
  /** Puts a release to work. Throws where that cannot even be begun. */
  activate(plan: ApplyPlan, release: ReleaseAtWork): Promise<void>;
  /** One look; takes at most 10 s, and never throws. */
  askHealth(plan: ApplyPlan, release: ReleaseAtWork): Promise<HealthAnswer>;
  /** Runs the self-test. Throws `update_self_test_failed` with what it said. */
  selfTest(command: readonly string[], release: ReleaseAtWork): Promise<void>;
  /** Unpacks a payload into a new directory. Throws `update_payload_unsafe`, `storage_full`. */
  unpack(payload: string, directory: string): Promise<void>;
}
