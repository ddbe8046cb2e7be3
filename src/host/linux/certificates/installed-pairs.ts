import { type Dirent, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { messageOf, StewardError, systemErrorCode } from "../../../contract/errors.ts";
import { repairIn } from "../../../contract/finding.ts";
import { textOf } from "../../../contract/text/text-of.ts";
import type { InstalledPair } from "../../certificate-ports.ts";
import type { TrustedOwners } from "../../host.ts";
import { asSelf, openingOf, readTrustedFile, whyUnreadable } from "../host-file/trusted-file.ts";

/** A chain of certificates has a few kilobytes. */
const maximumBytes = 256 * 1024;

/** Pairs that are read; more are left over from something that went wrong. */
const mostPairs = 64;

/** The names of a pair, and of others that look like a certificate; lego puts the authority's beside its own. */
const pairName = /^\w[\w.-]*(?<!\.issuer)\.crt$/;
const otherName = /\.(pem|cer|crt|p12|pfx)$/i;

/** The names that ACME clients (certbot, dehydrated, acme.sh, lego, Caddy) give to a chain and its key. */
const chainName = /^fullchain\.(pem|cer)$|(?<!\.issuer)\.crt$/;
const keyName = /^privkey\.pem$|(?<!^request)\.key$/;

/** The pairs `NAME.crt`, `NAME.key` of a directory that only trusted users write; keys only they and the agent read. */
export async function readInstalledPairs(directory: string, owners: TrustedOwners): Promise<InstalledPair[]> {
  const { asAgent = asSelf } = owners;
  const entries = await asAgent(() => entriesOf(directory));
  if (typeof entries === "string") {
    const refused = `${directory} ${entries}.`;
    const aside = repairIn(refused) === undefined ? ` As root: mv ${directory} ${directory}.refused.` : "";
    return [{ name: basename(directory), refused: refused + aside, hidesOthers: true }];
  }
  const pairs = entries.filter(({ name }) => pairName.test(name)).map(({ name }) => name.slice(0, -4));
  if (pairs.length === 0) return asAgent(() => underOtherName(directory, entries));
  const links = entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name);
  const isLinked = (name: string) => links.some((link) => link === `${name}.crt` || link === `${name}.key`);
  // The highest names count.
  const highest = pairs.sort().slice(-mostPairs);
  return Promise.all(highest.map((name) => readPair(join(directory, name), isLinked(name), owners)));
}

/** Or the reason why there are none to be seen. */
function entriesOf(directory: string): Dirent[] | string {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    return whyUnreadable(directory, error, { opening: `chmod a+rx ${directory}` }) ?? [];
  }
}

/** A certificate that would be ignored without a word, also in a directory of its own. */
function underOtherName(directory: string, entries: readonly Dirent[]): InstalledPair[] {
  const own = entries.map(({ name }) => name);
  for (const entry of entries) {
    const path = join(directory, entry.name);
    const isFile = otherName.test(entry.name);
    const [place, names] = isFile ? [directory, own] : [path, namesIn(path, entry.isSymbolicLink())];
    const [chain, key] = [chainName, keyName].map((form) => names.sort().findLast((name) => form.test(name)));
    if (!isFile && !(chain && key)) continue;
    const line =
      chain && key
        ? copyingLine(join(place, chain), join(place, key), join(directory, "50-ca"))
        : `mv ${path} ${path}.refused`;
    const taken = "HTTPS takes NAME.crt, with those between it and the authority, and NAME.key";
    return [{ name: entry.name, refused: `${path} is not used: ${taken}. As root: ${line}.` }];
  }
  return [];
}

/** As certbot names them, where a link leads to what only root sees; none for a file, and in another closed directory. */
function namesIn(directory: string, isLink: boolean): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    return isLink && systemErrorCode(error) === "EACCES" ? ["fullchain.pem", "privkey.pem"] : [];
  }
}

function copyingLine(chain: string, key: string, pair: string): string {
  return `install -m 640 -g steward ${key} ${pair}.key; install -m 644 ${chain} ${pair}.crt`;
}

async function readPair(pair: string, isLinked: boolean, owners: TrustedOwners): Promise<InstalledPair> {
  const [name, crt, key] = [basename(pair), `${pair}.crt`, `${pair}.key`];
  const opening = isLinked
    ? copyingLine(`"$(realpath ${crt})"`, `"$(realpath ${key})"`, pair)
    : `${openingOf(crt, {})}; ${openingOf(key, { isSecret: true })}`;
  const read = async (path: string, isSecret: boolean): Promise<string> => {
    const bytes = await readTrustedFile(path, { ...owners, opening, maximumBytes, isSecret }, refusal);
    if (bytes === null) throw refusal(path, "does not exist");
    return textOf(bytes, { refuse: (why) => refusal(path, why), otherwise: "windows-1252" });
  };
  try {
    const certificate = await read(crt, false);
    const pem = await read(key, true);
    if (!pem.includes("ENCRYPTED")) return { name, certificate, key: pem };
    const line = `openssl pkey -in ${key} -out ${key}.open && mv ${key}.open ${key}; ${openingOf(key, { isSecret: true })}`;
    throw refusal(key, `has a passphrase, and the agent is given none. As root: ${line}`);
  } catch (error) {
    return { name, refused: messageOf(error) };
  }
}

function refusal(path: string, what: string): StewardError {
  return new StewardError("validation_failed", `${path} ${what}.`);
}
