import { randomUUID } from "node:crypto";
import { unlinkSync, writeFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../../contract/errors.ts";
import type { ChainVerdict } from "../../certificate-ports.ts";
import type { CommandResult, RunCommand } from "../../ports.ts";

/** The authorities of the system: Debian's package ca-certificates. */
export const systemAuthorities = "/etc/ssl/certs/ca-certificates.crt";

/** Milliseconds for one run of openssl, which takes a hundredth of it; it is also ended with the caller's signal. */
const timeoutMilliseconds = 5_000;

interface OpensslVerification {
  /** PEM, the server's own first, the others in any order. */
  readonly certificates: readonly string[];
  /** A PEM file with the only authorities that are trusted. */
  readonly authorities: string;
  readonly conditions: readonly string[];
  /** An absolute path; the certificates are written there for the moment in which they are verified. */
  readonly directory: string;
  readonly signal?: AbortSignal;
}

/** Runs `openssl verify`. Rejects with the reason of the signal, and where the certificates cannot be written. */
export async function verifyByOpenssl(
  run: RunCommand,
  { certificates, authorities, conditions, directory, signal }: OpensslVerification,
): Promise<ChainVerdict> {
  const chain = join(directory, `chain-${randomUUID()}.pem`);
  // Without a thread: this is the memory of a directory of systemd's, and what threads take for it stays with the process.
  writeFileSync(chain, certificates.join("\n"), { mode: 0o600, flag: "wx" });
  try {
    const args = [
      ...["verify", "-CAfile", authorities, "-no-CApath", "-no-CAstore", "-purpose", "sslserver"],
      // 112 bits of security: RSA of 2,048 bits and more, no SHA-1. Without it openssl takes keys of any size.
      ...["-auth_level", "2"],
      ...conditions,
      // The certificate that is verified is the first in its file; all of them may be between it and an authority.
      ...["-untrusted", chain, chain],
    ];
    const ran = await run("openssl", args, { timeoutMilliseconds, ...(signal && { signal }) }).catch(
      (error) => {
        if (signal?.aborted) throw error;
        return null;
      },
    );
    if (ran === null) return { trouble: "openssl cannot be started. Install it: apt-get install openssl" };
    if (ran.status === 0 && ran.stdout === `${chain}: OK\n`) return null;
    return failureIn(ran.stderr) ?? { trouble: await troubleOf(ran, authorities) };
  } finally {
    unlinkSync(chain);
  }
}

/** The first failure that openssl reports; null: none. Its lines about certificates begin with a name's attribute. */
function failureIn(report: string) {
  const [, number, sentence = ""] = /^error (\d+) at \d+ depth lookup: ?(.*)$/m.exec(report) ?? [];
  return number === undefined ? null : { number: Number(number), sentence };
}

/** The reason why openssl has judged nothing, with the line to type where there is one. */
async function troubleOf({ status, stderr }: CommandResult, authorities: string): Promise<string> {
  try {
    await access(authorities);
  } catch (error) {
    return `${messageOf(error)}. Install the system's authorities: apt-get install ca-certificates`;
  }
  const said = stderr.trim().split("\n").at(-1) ?? "";
  return `openssl verify ended with ${status ?? "a signal"}: ${said}`;
}
