import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type Chain,
  issuerOf,
  judgeDates,
  type KnownTime,
  missingNames,
  readAnswer,
  subjectOf,
} from "../../certificates/answer.ts";
import { isOnLan, lastingAddresses } from "../../certificates/facts.ts";
import { ifAbsent, rethrown } from "../../contract/errors.ts";
import type { Tls } from "../../contract/types.ts";
import type { ChainVerdict } from "../../host/certificate-ports.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { fileFailure } from "../../terminal/failure.ts";
import { givenText } from "../../terminal/given-text.ts";
import type { Command, Invocation } from "../client/command.ts";
import type { ExaminedHost, RescueDecisions } from "../client/context.ts";
import { requireLocal } from "../client/places.ts";
import { rootFileFailure, writeRootFile } from "../client/root-file.ts";
import { reread } from "../configuration/host-file.ts";

export const request: Command = {
  path: ["tls", "request"],
  summary: "As root: print a request (CSR) to a CA for a certificate of this device; its key stays here",
  examples: [
    { line: "steward tls request > edge-7.csr", what: "then `steward tls install` takes the answer" },
  ],
  options: [
    { name: "names-only", summary: "without the device's addresses, for a CA that signs none" },
    { name: "new-key", summary: "even if a request is pending; its certificate will no longer fit" },
  ],
  isWithoutAgent: true,
  async run({ places, options, context, output }) {
    requireLocal(places, "tls request");
    const host = await context.openHost();
    const decisions = await host.hostFile.inForce(places.hostFile);
    const { directory } = decisions.https;
    if (options.has("new-key") || (await readWaitingKey(directory)) === null) await makeWaitingKey(directory);
    const { names, addresses } = await lastingOf(host, decisions);
    const wanted = { names, addresses: options.has("names-only") ? [] : addresses };
    if (names.length + wanted.addresses.length === 0)
      throw new CommandError(
        1,
        `No certificate can hold the name of this device. Add one to "names" in ${places.hostFile}.`,
      );
    const keyFile = waitingKeyIn(directory);
    const text = await host.signRequest({ keyFile, ...wanted });
    await output.report({ request: text, key_file: keyFile, ...wanted }, text);
    await output.remark(
      `The request is for ${[...names, ...wanted.addresses].join(", ")}. Have the CA sign it, then: steward tls install CHAIN`,
    );
  },
};

/** Those that a device keeps for the life of a certificate. */
async function lastingOf(host: ExaminedHost, decisions: RescueDecisions) {
  const { names, addresses } = await host.reachedBy(decisions);
  return {
    names: names.filter((name) => name !== "localhost"),
    addresses: lastingAddresses(addresses).filter(isOnLan),
  };
}

/** A chain has a few kilobytes. */
const bound = {
  maximumBytes: 256 * 1024,
  advice: "Give only the device's certificate and those between it and the CA.",
  otherwise: "windows-1252",
} as const;

export const install: Command = {
  path: ["tls", "install"],
  summary: "As root: use the certificate that a CA has issued for this device's request",
  examples: [
    {
      line: "steward tls install edge-7.crt --ca-file fleet-ca.crt",
      what: "the device's certificate and those between it and the CA; - reads standard input",
    },
  ],
  positionals: [{ name: "CHAIN" }],
  options: [
    {
      name: "ca-file",
      value: "FILE",
      summary: "the CA's own certificate (PEM); not needed if the system trusts it",
    },
  ],
  async run(invocation) {
    const { places, options, context, positionals, output } = invocation;
    requireLocal(places, "tls install");
    const host = await context.openHost();
    const decisions = await host.hostFile.inForce(places.hostFile);
    const { directory } = decisions.https;
    const key = await readWaitingKey(directory);
    if (key === null)
      throw new CommandError(3, "No request waits for an answer. Make one: steward tls request");
    const [source = ""] = positionals;
    const chain = readAnswer(await givenText(source === "-" ? context.stdin : source, bound), key);
    judgeDates(chain, await knownTime(invocation));
    const { names, addresses } = await lastingOf(host, decisions);
    const missing = missingNames(chain[0], [...names, ...addresses]);
    const authorities = options.text("ca-file");
    requireWhole(chain, authorities, await host.verifyChain(chain.map(String), authorities));
    const name = await installPair(directory, places.stateDirectory, { key, chain });
    const tls = await reread(invocation.client);
    const remark = await settle(directory, name, tls);
    await output.changed({ installed: name, missing, tls }, remark);
    if (missing.length > 0)
      await output.remark(
        `It is not for ${missing.join(", ")}: browsers warn there. Have the CA copy all names of the request.`,
      );
  },
};

/** Without an agent only the time at which this program was built has certainly passed. */
async function knownTime({ client, context }: Invocation): Promise<KnownTime> {
  try {
    const { trust, floor_at, server_time, offset_seconds } = await client.call("getTimeSync", {});
    const floor = new Date(floor_at);
    if (trust === "none") return { passed: floor, now: null };
    const now = new Date(Date.parse(server_time) + (offset_seconds ?? 0) * 1_000);
    return { passed: now > floor ? now : floor, now };
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== 8) throw error;
    return { passed: context.program.builtAt, now: null };
  }
}

/** OpenSSL's numbers for a chain that leads to no authority that is trusted (openssl/x509_vfy.h). */
const withoutAuthority: readonly number[] = [2, 7, 18, 19, 20, 21, 27];

function requireWhole(chain: Chain, authorities: string | undefined, verdict: ChainVerdict): void {
  if (verdict === null) return;
  const unchanged = "Nothing was changed.";
  if ("trouble" in verdict)
    throw new CommandError(1, `The chain cannot be verified: ${verdict.trouble}. ${unchanged}`);
  if (!withoutAuthority.includes(verdict.number))
    throw new CommandError(
      6,
      `The answer cannot be used: openssl refuses it for a server (${verdict.sentence}). ${unchanged} Have the CA make another.`,
    );
  const last = chain.at(-1) ?? chain[0];
  if (last.checkIssued(last))
    throw new CommandError(6, `The certificate is signed by its own key, and not by a CA. ${unchanged}`);
  const issuer = issuerOf(last);
  const advice =
    authorities === undefined
      ? "or, if that is the CA itself, name the file of its certificate: --ca-file FILE"
      : "or name the file of the right CA";
  throw new CommandError(
    6,
    `The chain is incomplete: ${subjectOf(last)} was issued by ${issuer}, which is neither in the answer nor in ${authorities ?? "the authorities of this system"}. ${unchanged} Add the certificate of ${issuer} to the answer, ${advice}.`,
  );
}

/** Removes the files that are not needed any more, and says in one sentence what HTTPS shows. */
async function settle(directory: string, name: string, tls: Tls | null): Promise<string> {
  const refusal = tls?.refused.find((one) => one.name === name);
  if (refusal !== undefined) {
    for (const end of ["crt", "key"]) await removeFile(join(directory, `${name}.${end}`));
    throw new CommandError(1, `The agent cannot use the certificate: ${refusal.detail} It was removed.`);
  }
  const shown = tls?.certificate?.installed;
  await removeFormer(directory, name, shown === name);
  if (tls === null) return `The certificate is installed as ${name}. HTTPS shows it when the agent starts.`;
  if (!tls.enabled)
    return `The certificate is installed as ${name}. HTTPS on the LAN is off; to switch it on: steward tls enable`;
  if (shown === name) return `HTTPS shows the certificate, which is installed as ${name}.`;
  const advice =
    typeof shown === "string"
      ? `${shown} goes on to be shown, because the last by name is. Move it out of ${directory}, then: steward tls reload`
      : "HTTPS does not show it: steward tls show";
  throw new CommandError(1, `The certificate is installed as ${name}, but ${advice}`);
}

/** The key of a request that waits for its answer. The agent looks for certificates, and none has this name. */
const waiting = "request.key";

/** Each pair has a number, so that one rename brings a new one into force: the highest is the one that is shown. */
const pairForm = /^60-request-(\d{4,})\.(?:crt|key)$/;

function waitingKeyIn(directory: string): string {
  return join(directory, waiting);
}

/** The key that waits, as PEM; null: no request waits. Throws CommandError: 1, 4. */
async function readWaitingKey(directory: string): Promise<string | null> {
  const path = waitingKeyIn(directory);
  const pem = await readFile(path, "utf8")
    .catch(ifAbsent)
    .catch(rethrown((error) => fileFailure(error, path)));
  if (pem === null) return null;
  try {
    createPrivateKey(pem);
    return pem;
  } catch {
    throw new CommandError(1, `${path} is damaged. Make another key: steward tls request --new-key`);
  }
}

/** Makes the key of a request: EC P-256, readable for root only. Throws as `writeRootFile` does. */
async function makeWaitingKey(directory: string): Promise<void> {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await writeRootFile(waitingKeyIn(directory), { content: privateKey, mode: 0o600 });
}

/** Installs an answer's certificate, the key first; returns its name. Throws as `writeRootFile`, and CommandError(3). */
async function installPair(
  directory: string,
  stateDirectory: string,
  { key, chain }: { readonly key: string; readonly chain: Chain },
): Promise<string> {
  const { uid } = await stat(waitingKeyIn(directory));
  const { gid } = await stat(stateDirectory).catch(rethrown((error) => fileFailure(error, stateDirectory)));
  const last = (await pairsIn(directory)).at(-1)?.number ?? 0;
  const name = `60-request-${String(last + 1).padStart(4, "0")}`;
  await writeRootFile(join(directory, `${name}.key`), { content: key, mode: 0o640, owner: { uid, gid } });
  const content = chain.map((one) => one.toString()).join("");
  await writeRootFile(join(directory, `${name}.crt`), { content, mode: 0o644 });
  return name;
}

/** The request is answered: its waiting key goes, and with `isShown` the pairs of former requests too. */
async function removeFormer(directory: string, name: string, isShown: boolean): Promise<void> {
  await removeFile(waitingKeyIn(directory));
  if (!isShown) return;
  // Certificates go first: one without its key would be reported.
  const files = (await pairsIn(directory)).map(({ file }) => file).sort();
  for (const end of [".crt", ".key"])
    for (const file of files.filter((one) => one.endsWith(end) && !one.startsWith(`${name}.`)))
      await removeFile(join(directory, file));
}

async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch(rethrown((error) => rootFileFailure(error, path)));
}

async function pairsIn(directory: string): Promise<{ file: string; number: number }[]> {
  const files = await readdir(directory);
  const found = files.flatMap((file) => {
    const number = pairForm.exec(file)?.[1];
    return number === undefined ? [] : [{ file, number: Number(number) }];
  });
  return found.sort((one, other) => one.number - other.number);
}
