import { type InputError, StewardError } from "../../contract/errors.ts";
import type { HostFileDocument } from "../../contract/types.ts";
import type { TrustedOwners } from "../../host/host.ts";
import { checkAuthorities, checkClientCertificate } from "../../host/linux/host-file/authorities.ts";
import { readPicture } from "../../host/linux/host-file/maker-pictures.ts";
import { readRequestHeaders } from "../../host/linux/host-file/request-headers.ts";
import { mostSecretBytes, readPageSecret, readSecretFile } from "../../host/linux/host-file/secret-file.ts";
import { readTrustedFile } from "../../host/linux/host-file/trusted-file.ts";
import { refuseForeignProgram } from "../../host/linux/host-file/trusted-program.ts";
import { releasePlace } from "./decisions.ts";

type Check = (path: string, trust: TrustedOwners & { refuse: typeof refuse }) => Promise<unknown>;

/**
 * The faults of the files that a host file names: one is absent, cannot be used, or could have been written by another
 * user than root. Control over certificates and programs is control over the server, or over root.
 */
export async function namedFileFaults(
  document: HostFileDocument,
  owners: TrustedOwners,
): Promise<InputError[]> {
  const faults: InputError[] = [];
  for (const [pointer, path, check] of namedFiles(document)) {
    try {
      if (path !== undefined) await check(path, { ...owners, refuse });
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      faults.push({ pointer, code: "file", detail: error.message });
    }
  }
  return faults;
}

type NamedFile = readonly [pointer: string, path: string | undefined, check: Check];

function namedFiles(document: HostFileDocument): readonly NamedFile[] {
  const { network, time, update, maker, oidc, notify, telemetry, product } = document;
  const { otlp, syslog } = telemetry;
  const clients = { network, update, oidc, notify, "telemetry/otlp": otlp, "telemetry/syslog": syslog };
  return [
    ["/time/ca_file", time.ca_file, checkAuthorities],
    ...Object.entries(clients).flatMap(([part, own]): NamedFile[] => [
      [`/${part}/ca_file`, pathOf(own?.ca_file), checkAuthorities],
      [`/${part}/client_certificate_file`, pathOf(own?.client_certificate_file), checkClientCertificate],
    ]),
    ["/maker/mark", maker?.mark, (path, trust) => readPicture("mark", path, trust)],
    ["/maker/picture", maker?.picture, (path, trust) => readPicture("picture", path, trust)],
    ["/telemetry/otlp/headers_file", otlp?.headers_file, ifThere(readRequestHeaders)],
    ["/oidc/client_secret_file", oidc?.client_secret_file, ifThere(readSecretFile)],
    ...product.pages.map(
      ({ secret_file }, index): NamedFile => [
        `/product/pages/${index}/secret_file`,
        secret_file,
        ifThere(readPageSecret),
      ],
    ),
    ...(["rules", "binary"] as const).flatMap((kind): NamedFile[] => [
      [`/update/${kind}/activate/0`, update[kind]?.activate?.[0], checkProgram],
      [`/update/${kind}/self_test/0`, update[kind]?.self_test?.[0], checkProgram],
      [`/update/${kind}/health/command/0`, update[kind]?.health.command?.[0], checkProgram],
    ]),
  ];
}

function pathOf(member: string | undefined): string | undefined {
  return member === "none" ? undefined : member;
}

/** Programs of a release are signed. */
const checkProgram: Check = async (path, trust) => {
  if (!path.startsWith(releasePlace)) await refuseForeignProgram(path, trust);
};

/** Secrets are read at each use: one may come later, and a credential may take its place. */
function ifThere(check: Check): Check {
  return async (path, trust) => {
    const secret = { ...trust, maximumBytes: mostSecretBytes, isSecret: true };
    if ((await readTrustedFile(path, secret, refuse)) !== null) await check(path, trust);
  };
}

function refuse(path: string, why: string): StewardError {
  return new StewardError("validation_failed", `names ${path}, which ${why}`);
}
