import { createHash, X509Certificate } from "node:crypto";
import { isObject } from "../../store/validation/members.ts";
import { safeLine } from "../../terminal/escape.ts";
import { caps } from "../../tuf/caps.ts";
import { parseStrictJson } from "../../tuf/strict-json.ts";
import type { CommandContext } from "../client/context.ts";
import { updateRootPath } from "../updates/update-trust-install.ts";

/** A file of root's as a backup would have it, and as it is; null: there is none. */
export interface HostFileChange {
  /** In the directory of the host file. */
  readonly name: string;
  readonly path: string;
  readonly content: Buffer;
  readonly former: { readonly content: Buffer } | null;
  readonly wasExecutable: boolean;
}

/**
 * Lines that show what root would adopt: members of the host file, the fingerprint of the root of trust, certificates and
 * public keys, and otherwise hashes, since a file may be a secret. Throws `update_root_unusable` for a root of trust
 * that could not be used.
 */
export async function changeLines(
  change: HostFileChange,
  hostFile: string,
  { readRootOfTrust }: Pick<CommandContext, "readRootOfTrust">,
): Promise<string[]> {
  const { name, path, content, former, wasExecutable } = change;
  const head = `${name}, ${former === null ? "new" : "replaced"}`;
  if (path === hostFile) return [`${head}:`, ...memberLines(former?.content, content)];
  if (path === updateRootPath(hostFile)) {
    const { fingerprint } = await readRootOfTrust(content);
    const before = former && (await readRootOfTrust(former.content).catch(() => null))?.fingerprint;
    return [`${head}: the root of trust of updates, ${arrow(before, fingerprint)}`];
  }
  const bits = wasExecutable ? ", and not executable here" : "";
  const hashes = arrow(former && sha256(former.content), sha256(content));
  const [parts, next] = [publicParts(former?.content), publicParts(content)];
  return [
    `${head}${bits}: SHA-256 ${hashes}`,
    ...parts.filter((part) => !next.includes(part)).map((part) => `  - ${part}`),
    ...next.filter((part) => !parts.includes(part)).map((part) => `  + ${part}`),
  ];
}

function arrow(before: string | null | undefined, after: string | undefined): string {
  return `${before ?? "none"} → ${after ?? "none"}`;
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function memberLines(before: Buffer | undefined, after: Buffer): string[] {
  const [former, next] = [before ?? Buffer.from("{}"), after].map((file) => new Map(membersOf(parsed(file))));
  return [...new Map([...(former ?? []), ...(next ?? [])]).keys()]
    .filter((pointer) => former?.get(pointer) !== next?.get(pointer))
    .map((pointer) => `  ${pointer || "the whole file"}: ${arrow(former?.get(pointer), next?.get(pointer))}`);
}

/** Values by their JSON pointers; a list is one value. */
function membersOf(value: unknown, pointer = ""): [string, string][] {
  if (!isObject(value) || (pointer !== "" && Object.keys(value).length === 0))
    return [[pointer, safeLine(value)]];
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, `${pointer}/${name}`));
}

/** A text that is no JSON, or has a member twice, of which a person would see one, is shown as it is. */
function parsed(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes, caps);
  } catch {
    return bytes.toString("utf8");
  }
}

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates in a file, and the keys that backups are encrypted to. */
function publicParts(content: Buffer | undefined): string[] {
  const text = content?.toString("latin1") ?? "";
  return [
    ...(text.match(certificates) ?? []).map(certificateFacts),
    ...(text.match(/\bage1[0-9a-z]{20,}/g) ?? []).map((key) => `opens backups: ${key}`),
  ];
}

function certificateFacts(pem: string): string {
  try {
    const { subject, fingerprint256 } = new X509Certificate(pem);
    return `certificate of ${subject.replaceAll("\n", ", ")}, SHA-256 ${fingerprint256}`;
  } catch {
    return "a certificate that cannot be read";
  }
}
