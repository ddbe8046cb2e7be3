import { dirname, join, resolve } from "node:path";
import type { TrustedOwners } from "../host/host.ts";
import { type HostFile, plainHostFile, readHostFile } from "../host/linux/host-file/host-file.ts";
import type { HttpsDecisions } from "../host/linux/host-file/host-file-https.ts";
import type { UpdateDecisions } from "../host/linux/host-file/host-file-update.ts";
import { updateRootFile } from "../host/linux/host-file/installed-root.ts";
import type { SignInProvider } from "../host/provider-ports.ts";

export const usualHostFile = "/etc/steward/steward.json";

/** What root has decided about updates, and where its root of trust lies. */
export interface HostUpdateConfig extends UpdateDecisions, TrustedOwners {
  rootFile: string;
  /** Why the host file cannot be used. Then the agent does not know what the device runs, and checks for no updates. */
  unusable?: string | undefined;
}

/** Where an administrator puts certificates, and whose files are trusted there. */
export interface InstalledCertificates extends TrustedOwners {
  readonly directory: string;
}

/** What root has decided about this device. */
export interface HostDecisions {
  names: readonly string[];
  trustedProxies: readonly string[];
  https: HttpsDecisions & InstalledCertificates;
  kernelRescue: boolean;
  forRooms: {
    logUnits: readonly string[];
    product: string;
    supportUntil: string | null;
    update: HostUpdateConfig;
    oidc: (SignInProvider & TrustedOwners) | null;
  };
}

/** Reads the host file. `uid`: the user who runs this. Throws `validation_failed`. */
export async function readDecisions(path: string, uid: number | undefined): Promise<HostDecisions> {
  const owners = ownersOf(path, uid);
  return decisionsOf(path, owners, await readHostFile(path, owners));
}

/** The same for the command line. A host file that cannot be used stops the agent, and must not stop its repair. */
export async function readDecisionsOrNone(path: string, uid: number | undefined): Promise<HostDecisions> {
  try {
    return await readDecisions(path, uid);
  } catch (error) {
    const unusable = error instanceof Error ? error.message : String(error);
    const { forRooms, ...others } = decisionsOf(path, ownersOf(path, uid), plainHostFile);
    return { ...others, forRooms: { ...forRooms, update: { ...forRooms.update, unusable } } };
  }
}

/** The decisions where no host file is read. */
export const noDecisions = decisionsOf(usualHostFile, {}, plainHostFile);

/** At its usual place the file must belong to root; anywhere else, for a trial, it may belong to the user who runs this. */
function ownersOf(path: string, uid: number | undefined): TrustedOwners {
  return resolve(path) === usualHostFile ? {} : { own: uid };
}

function decisionsOf(path: string, owners: TrustedOwners, host: HostFile): HostDecisions {
  const { names, trustedProxies, logUnits, product, kernelRescue, supportUntil } = host;
  const https = { ...host.https, ...owners, directory: join(dirname(resolve(path)), "tls") };
  const oidc = host.oidc && { ...host.oidc, ...owners };
  const update = { ...host.update, ...owners, rootFile: updateRootFile(path) };
  return {
    names,
    trustedProxies,
    https,
    kernelRescue,
    forRooms: { logUnits, product, supportUntil, update, oidc },
  };
}
