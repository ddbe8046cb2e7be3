import type { Certificates } from "../../certificates/certificates.ts";
import type { InputError } from "../../contract/errors.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Finding, Input, Output, StreamId } from "../../contract/types.ts";
import type { Age } from "../../device/backup/age.ts";
import type { ChainVerdict, SigningRequest } from "../../host/certificate-ports.ts";
import type { HostClock, HostFiles, HostNames, TrustedOwners } from "../../host/host.ts";
import type { RootHelper, RunCommand, Uptime } from "../../host/ports.ts";
import type { StateTools } from "../../store/documents/inspection.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { ProgramContext } from "../../terminal/commands/command.ts";
import type { RootOfTrust } from "../../tuf/root-of-trust.ts";

/** Operations for commands, over socket, URL or in process. Throws StewardError (refused), CommandError(8) (unreachable). */
export interface Client extends Calls {
  /** Hands over an event stream's messages until the agent or `signal` ends it. Throws a CommandError(8) if it breaks off. */
  stream<Id extends StreamId>(
    id: Id,
    input: Partial<Input<Id>>,
    onMessage: (message: StreamedMessage) => void | Promise<void>,
    options?: StreamOptions,
  ): Promise<void>;
}

export interface StreamOptions {
  /** The id of the last message that was read; the stream goes on after it. */
  lastEventId?: string | undefined;
  signal?: AbortSignal;
}

/** A message of an event stream; `data` is the JSON that was sent. */
export interface StreamedMessage {
  /** "" when it has none. */
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** Operations that also work in process, without an agent. */
export interface Calls {
  call<Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>>;
  close(): Promise<void>;
}

/** Everything outside that a command may use; only the mains know the process. */
export interface CommandContext extends ProgramContext {
  environment: Readonly<Record<string, string | undefined>>;
  /** This program, for `--version`, the doctor, and where the agent does not answer. */
  program: OwnProgram;
  /**
   * The same operations in process, as local root, for when the agent is down. They run under the store's lock, or, with
   * `readsOnly`, without it: then only operations that change nothing may be called. `remark` is given sentences about
   * anything wrong with the state.
   */
  openOffline(
    stateDirectory: string,
    options: { readsOnly: boolean; remark: (text: string) => Promise<void> },
  ): Promise<Calls>;
  openState(stateDirectory: string): Promise<StateTools>;
  openAge(): Promise<Age>;
  openHost(): Promise<ExaminedHost>;
  /** Checks a root of trust for updates. Throws `update_root_unusable`. */
  readRootOfTrust(bytes: Uint8Array): Promise<RootOfTrust>;
  /** Runs the installer with these words and paths, as this user on this terminal. Resolves with its exit code. */
  runInstaller(words: readonly string[], places: InstallerPaths): Promise<number>;
  /** As root: stops the agent, deletes state, then identity, and switches off. Throws CommandError where it cannot. */
  prepareImage(places: { readonly stateDirectory: string; readonly socketPath: string }): Promise<void>;
}

interface OwnProgram {
  readonly version: string;
  readonly builtAt: Date;
  /** Absolute path of the runtime. */
  readonly node: string;
  readonly nodeVersion: string;
  /** Absolute path of self-check.js. */
  readonly selfCheck: string;
  /** The user who runs this; asked for when it is needed, for a command may become another. */
  readonly userId: () => number | undefined;
}

/** This host, as far as it is examined without an agent. */
export interface ExaminedHost {
  readonly run: RunCommand;
  readonly readSealKeys: HostFiles["readSealKeys"];
  readonly readRealTimeClock: HostClock["readRealTimeClock"];
  readonly uptime: Uptime;
  readonly timeZoneTrouble: HostNames["timeZoneTrouble"];
  readonly helper: Pick<RootHelper, "absence">;
  /** The certificates for HTTPS that an agent would choose among now, making none. `ownDirectory`: of the device's own. */
  readCertificates(
    installed: TrustedOwners & { readonly directory: string },
    ownDirectory: string,
  ): Promise<Pick<Certificates, "present" | "refused">>;
  readonly hostFile: HostFileAccess;
  /** The names of the device and its addresses on the LAN, as a certificate can have them; the host name is first. */
  reachedBy(
    decisions: RescueDecisions,
  ): Promise<{ readonly names: readonly string[]; readonly addresses: readonly string[] }>;
  /** Makes a request for a certificate (PKCS #10), as PEM. Throws `internal_error`. */
  signRequest(request: SigningRequest): Promise<string>;
  /** Verifies by openssl that a PEM chain leads to an authority, at any date; null: it does. Throws the system's errors. */
  verifyChain(chain: readonly string[], authorities: string | undefined): Promise<ChainVerdict>;
}

interface HostFileAccess {
  /** Those in force, as `eyes` reads them, and what a person has to see to in the file; null: nothing. */
  inForce(
    path: string,
    eyes?: "agent" | "root",
  ): Promise<RescueDecisions & { readonly trouble: Finding | null }>;
  /** Judges a host file, whose it is, and the files that it names. Throws for one that cannot be read. */
  check(path: string): Promise<CheckedText>;
  checkText(text: string): CheckedText;
  /** As root: keeps an accepted host file. Throws `validation_failed`, `storage_full`, `storage_unwritable`. */
  keep(path: string): Promise<void>;
  /**
   * As root: sets the host file aside, and puts the kept one in its place. The path of the one set aside; null: none is
   * kept. Throws the system's errors, `storage_full` and `storage_unwritable`.
   */
  restore(path: string): Promise<string | null>;
}

export interface CheckedText {
  readonly faults: readonly InputError[];
  /** JSON pointers of members that this release does not know. */
  readonly unknown: readonly string[];
}

/** Decisions of the host file about the ways in. */
export interface RescueDecisions {
  readonly kernelRescue: boolean;
  /** Names that this device answers to, besides its host name, its addresses and localhost. */
  readonly names: readonly string[];
  /** On the LAN; `directory`: of the certificates that are installed. */
  readonly https: TrustedOwners & {
    readonly enabled: boolean;
    readonly port: number;
    /** The only address that it listens on; null: all. */
    readonly address: string | null;
    readonly directory: string;
  };
}

export interface InstallerPaths {
  readonly releasesDirectory: string;
  readonly trustDirectory: string;
  readonly stateDirectory: string;
  readonly hostFile: string;
}

/** The program sends more than the agent ever would: it is not the agent, or an attacker's. Trying again does not help. */
export class BoundlessAnswer extends CommandError {
  constructor(what: string) {
    super(8, `${what} Find out which program answers before you continue: systemctl status steward.`);
    this.name = "BoundlessAnswer";
  }
}
