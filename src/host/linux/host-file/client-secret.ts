import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { StewardError, systemErrorCode } from "../../../contract/errors.ts";
import { textOf } from "../../../contract/text/text-of.ts";
import type { SealKeyPlaces, TrustedOwners } from "../../host.ts";
import type { SignInProvider } from "../../provider-ports.ts";
import { mostSecretBytes, readSecretFile } from "./secret-file.ts";

/**
 * The secret with which the agent authenticates to the provider: the credential `steward.oidc`, otherwise the file that
 * the host file names; null: it has none. It is read at each use, so that a new file needs no restart. Throws
 * `provider_unreachable` for one that cannot be used: the agent never continues without it.
 */
export async function readClientSecret(
  { clientSecretFile }: Pick<SignInProvider, "clientSecretFile">,
  { credentialsDirectory, own }: TrustedOwners & Partial<Pick<SealKeyPlaces, "credentialsDirectory">> = {},
): Promise<string | null> {
  // systemd protects a credential.
  const given = credentialsDirectory && (await readCredential(join(credentialsDirectory, "steward.oidc")));
  if (given) return given;
  if (clientSecretFile === null) return null;
  return readSecretFile(clientSecretFile, { own, refuse: refusal });
}

/** The unit gives a blank credential if there is none. */
async function readCredential(path: string): Promise<string> {
  const bytes = await readFile(path).catch((cause: unknown) => {
    const code = systemErrorCode(cause);
    if (code === "ENOENT") return Buffer.alloc(0);
    throw refusal(path, `cannot be read (${code})`, cause);
  });
  if (bytes.byteLength > mostSecretBytes)
    throw refusal(path, `has ${bytes.byteLength} bytes, more than the limit of ${mostSecretBytes}`);
  return textOf(bytes, { refuse: (why) => refusal(path, why) }).trim();
}

function refusal(path: string, what: string, cause?: unknown): StewardError {
  return new StewardError(
    "provider_unreachable",
    `The secret for the sign-in provider cannot be used: ${path} ${what}. Sign in with an account of this device.`,
    { cause },
  );
}
