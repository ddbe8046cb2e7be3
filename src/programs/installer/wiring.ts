import { arch } from "node:os";
import { StewardError } from "../../contract/errors.ts";
import { createRunCommand } from "../../host/linux/commands.ts";
import type { Credentials } from "../../host/linux/credentials.ts";
import { freeSpace } from "../../host/linux/free-space.ts";
import { readInstalledRoot } from "../../host/linux/host-file/installed-root.ts";
import { openReleaseHost } from "../../host/linux/open-release-host.ts";
import { createOwnersRights } from "../../host/linux/releases/agent-rights.ts";
import type { ReleaseHost } from "../../host/release-ports.ts";
import type { ReleaseDirectories } from "../../installer/files/release-directories.ts";
import { createReleaseFiles } from "../../installer/files/release-files.ts";
import type { VerifyAndCopy } from "../../installer/install.ts";
import type { InstallerContext } from "../../installer/trial/run-trial.ts";
import { unpack } from "../../installer/unpack/unpack.ts";
import { openInstallerTrust } from "../../installer/verify/installer-trust.ts";
import { verifyAndCopy } from "../../installer/verify/verify-and-copy.ts";
import type { Floors } from "../../releases/selection.ts";
import { type Build, builtAt } from "../../system/version.ts";
import { caps } from "../../tuf/caps.ts";
import { type HostDecisions, readDecisionsInForce } from "../host-file/host-file.ts";
import { packagedVersions } from "../packaged-versions.ts";

export interface OpenedInstaller extends Omit<InstallerContext, "journal"> {
  readonly verifyAndCopy: VerifyAndCopy;
  /** The newest versions that the installer has seen signed. */
  readonly floors: () => Promise<Floors>;
}

interface InstallerOptions {
  readonly directories: ReleaseDirectories;
  /** Units are started and watched, and the guard is one of them. */
  readonly isUnderSystemd: boolean;
  readonly stateDirectory: string;
  readonly hostFile: string;
  /** The user who runs this. */
  readonly credentials: Credentials;
  readonly build: Build;
  readonly say: (line: string) => void;
}

/** Throws `validation_failed` for a host file that cannot be used, if no accepted one is kept either. */
export async function openInstaller(options: InstallerOptions): Promise<OpenedInstaller> {
  const { directories, say } = options;
  const decisions = await readAccepted(options);
  const host = openInstallerHost(options);
  return {
    host,
    directories,
    say,
    plans: decisions.forRooms.update.apply,
    packaged: packagedVersions(decisions.forRooms.product.name),
    verifyAndCopy: createVerifyAndCopy(options, decisions, host),
    floors: async () => {
      const trust = await openInstallerTrust(directories);
      try {
        return trust.floors();
      } finally {
        await trust.close();
      }
    },
  };
}

/** A guard must continue with a trial whatever an editor makes of the file; but only files of root are used. */
async function readAccepted({ hostFile, credentials, say }: InstallerOptions): Promise<HostDecisions> {
  const { decisions, refusal } = await readDecisionsInForce(hostFile, credentials.geteuid());
  if (refusal === null) return decisions;
  if (decisions.forRooms.update.unusable !== undefined) throw refusal;
  say(`${refusal.message} The rest of it, or the one that was last accepted, is used.`);
  return decisions;
}

/** This host, with the installer's own functions to write files and to unpack. */
function openInstallerHost({ isUnderSystemd, credentials }: InstallerOptions): ReleaseHost {
  const run = createRunCommand();
  const files = createReleaseFiles(run, freeSpace);
  const host = openReleaseHost(run, isUnderSystemd, credentials.geteuid() === 0);
  return { ...host, files, unpack: (payload, directory) => unpack(payload, directory, files) };
}

function createVerifyAndCopy(
  options: InstallerOptions,
  { forRooms }: HostDecisions,
  host: ReleaseHost,
): VerifyAndCopy {
  const { directories, stateDirectory, credentials, build } = options;
  const { update } = forRooms;
  const product = forRooms.product.name;
  return async (id, journal) =>
    verifyAndCopy(id, {
      directories,
      stateDirectory,
      journal,
      asAgent: await createOwnersRights(stateDirectory, credentials),
      readInstalledRoot: () => {
        if (update.unusable !== undefined) throw new StewardError("update_root_unusable", update.unusable);
        return readInstalledRoot(update.rootFile, { own: update.own, maximumBytes: caps.rootBytes });
      },
      device: {
        product,
        arch: arch(),
        agentVersion: build.version,
        channels: update.channels,
        packaged: { rules: null, binary: product === "steward" ? build.version : null },
      },
      builtAt: builtAt(build),
      wall: host.now,
      uptime: host.uptime,
      bootId: host.bootId,
      freeBytes: host.files.freeBytes,
    });
}
