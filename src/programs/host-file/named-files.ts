import { type InputError, StewardError } from "../../contract/errors.ts";
import type { HostFileDocument } from "../../contract/types.ts";
import type { TrustedOwners } from "../../host/host.ts";
import { checkAuthorities } from "../../host/linux/host-file/authorities.ts";
import { readPicture } from "../../host/linux/host-file/maker-pictures.ts";
import { readRequestHeaders } from "../../host/linux/host-file/request-headers.ts";
import { mostSecretBytes, readSecretFile } from "../../host/linux/host-file/secret-file.ts";
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
      await check(path, { ...owners, refuse });
    } catch (error) {
      if (!(error instanceof StewardError)) throw error;
      faults.push({ pointer, code: "file", detail: error.message });
    }
  }
  return faults;
}

function namedFiles({
  time,
  update,
  maker,
  oidc,
  telemetry,
}: HostFileDocument): [pointer: string, path: string, check: Check][] {
  const authorities: [string, string | undefined][] = [
    ["/time/ca_file", time.ca_file],
    ["/update/ca_file", update.ca_file],
    ["/oidc/ca_file", oidc?.ca_file],
    ["/telemetry/otlp/ca_file", telemetry.otlp?.ca_file],
    ["/telemetry/syslog/ca_file", telemetry.syslog?.ca_file],
  ];
  const programs = (["rules", "binary"] as const).flatMap((kind): [string, string | undefined][] => [
    [`/update/${kind}/activate/0`, update[kind]?.activate?.[0]],
    [`/update/${kind}/self_test/0`, update[kind]?.self_test?.[0]],
    [`/update/${kind}/health/command/0`, update[kind]?.health.command?.[0]],
  ]);
  const named = (files: [string, string | undefined][], check: Check) =>
    files.flatMap(([pointer, path]): [string, string, Check][] =>
      path === undefined ? [] : [[pointer, path, check]],
    );
  const pictures = (["mark", "picture"] as const).flatMap((which) =>
    named([[`/maker/${which}`, maker?.[which]]], (path, trust) => readPicture(which, path, trust)),
  );
  return [
    ...named(authorities, checkAuthorities),
    ...pictures,
    ...named([["/telemetry/otlp/headers_file", telemetry.otlp?.headers_file]], ifThere(readRequestHeaders)),
    ...named([["/oidc/client_secret_file", oidc?.client_secret_file]], ifThere(readSecretFile)),
    // Programs of a release are signed.
    ...named(programs, refuseForeignProgram).filter(([, path]) => !path.startsWith(releasePlace)),
  ];
}

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
