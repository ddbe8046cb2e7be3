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
import type { Tls } from "../../contract/types.ts";
import type { ChainVerdict } from "../../host/certificate-ports.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { givenText } from "../../terminal/given-text.ts";
import type { Command, Invocation } from "../client/command.ts";
import type { ExaminedHost, RescueDecisions } from "../client/context.ts";
import { requireLocal } from "../client/places.ts";
import { reread } from "../configuration/host-file.ts";
import {
  installPair,
  makeWaitingKey,
  readWaitingKey,
  removeFormer,
  removePair,
  waitingKeyIn,
} from "./requested-pair.ts";

export const request: Command = {
  path: ["tls", "request"],
  summary: "As root: print a request (CSR) to a CA for a certificate of this device; its key stays here",
  examples: [
    { line: "steward tls request > edge-7.csr", what: "then `steward tls install` takes the answer" },
  ],
  options: [
    { name: "names-only", summary: "without the device's addresses, for a CA that signs none" },
    { name: "new-key", summary: "also where a request waits for its answer, which is then worth nothing" },
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
  summary: "As root: have HTTPS show the certificate that a CA has made for the request of this device",
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
      isFile: true,
      summary: "the CA's own certificate (PEM); not needed where the system trusts it",
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
    await removePair(directory, name);
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
