import { findingOf } from "../../contract/finding.ts";
import type { Tls } from "../../contract/types.ts";
import { CommandError, OnlyExitCode } from "../../terminal/command-error.ts";
import type { Option } from "../../terminal/commands/command.ts";
import type { Fields } from "../../terminal/table.ts";
import type { Command, Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";
import { keepAccepted, reread } from "../configuration/host-file.ts";
import { announce, withdraw } from "./announcement.ts";
import { install, request } from "./certificate-request.ts";
import { changeHttps } from "./host-file-https.ts";

const portOption: Option = {
  name: "port",
  value: "PORT",
  summary: "port of HTTPS; 8443 if none was given before",
};

const redirectOption: Option = {
  name: "redirect-port",
  value: "PORT",
  summary: "a port for plain HTTP, which only redirects to HTTPS; none removes it",
};

const show: Command = {
  path: ["tls", "show"],
  summary: "Show whether HTTPS on the LAN is on, its addresses and its certificate",
  worksOffline: true,
  async run(invocation) {
    const { client, output } = invocation;
    const tls = await client.call("getTls", {});
    await output.fields(tls, fieldsOf(tls));
    if (tls.enabled) await remarkTaken(invocation);
  },
};

const fingerprint: Command = {
  path: ["tls", "fingerprint"],
  summary: "Print the SHA-256 fingerprint of the certificate, to compare it with what a browser shows",
  worksOffline: true,
  async run({ client, output }) {
    const tls = await client.call("getTls", {});
    if (!tls.enabled)
      throw new CommandError(3, "HTTPS on the LAN is off. To switch it on: steward tls enable");
    if (tls.certificate === null)
      throw new CommandError(3, tls.problem ?? "The agent makes the certificate when it starts.");
    await output.value(tls.certificate, tls.certificate.fingerprint);
  },
};

const enable: Command = {
  path: ["tls", "enable"],
  summary: "Switch on HTTPS on the LAN, in the host file, and announce it there",
  examples: [
    { line: "steward tls enable", what: "https://NAME.local:8443" },
    { line: "steward tls enable --redirect-port 8080", what: "http://NAME:8080 leads there" },
  ],
  options: [portOption, redirectOption],
  run: (invocation) => switchOn(invocation),
};

/** For the unit steward-https, which the root helper starts for the agent. */
const enableAsked: Command = {
  path: ["tls", "enable-asked"],
  isHidden: true,
  summary: "Switch HTTPS on the LAN on, unless the host file says whether it is on",
  run: (invocation) => switchOn(invocation, true),
};

const disable: Command = {
  path: ["tls", "disable"],
  summary: "Switch off HTTPS on the LAN; its key and certificate are kept",
  async run(invocation) {
    requireLocal(invocation.places, "tls disable");
    const { places, context, output } = invocation;
    const host = await context.openHost();
    await changeHttps(places.hostFile, { enabled: false }, host);
    for (const why of await withdraw(places.hostFile, host))
      await output.remark(`HTTPS is still announced on the LAN: ${why}`);
    const tls = await rereadAndKept(invocation);
    await output.changed(tls ?? { enabled: false }, "HTTPS on the LAN is off.");
  },
};

const reload: Command = {
  path: ["tls", "reload"],
  summary: "Make the agent read host file and certificates again; exit code 1 if one cannot be used",
  async run(invocation) {
    const { client, places, context, output } = invocation;
    const { tls, needs_restart, ...more } = await client.call("reloadHostFile", {});
    // As the unit does it. The agent goes by it from now on, and after a later mistake in the file.
    if (places.url === undefined && context.program.userId() === 0) await keepAccepted(invocation);
    const waiting =
      needs_restart.length === 0 ? "" : ` These wait for a restart: ${needs_restart.join(", ")}.`;
    await output.changed(
      { ...more, needs_restart, tls },
      `The host file and the certificates were read again.${waiting}`,
    );
    const faults = [tls.problem, ...tls.refused.map(({ name, detail }) => `${name}: ${detail}`)];
    const found = faults.filter((fault) => fault !== null);
    for (const fault of found) await output.remark(fault);
    if (found.length > 0) throw new OnlyExitCode(1);
  },
};

const rootsCommands = [enable, enableAsked, disable, request, install];
export const tlsCommands: readonly Command[] = [show, fingerprint, ...rootsCommands, reload];

async function switchOn(invocation: Invocation, isAsked = false): Promise<void> {
  const { options, places, context, output } = invocation;
  requireLocal(places, "tls enable");
  const port = portOf(options.text("port"));
  const redirect = options.text("redirect-port");
  const change = { enabled: true, port, redirect_port: redirect === "none" ? null : portOf(redirect) };
  const host = await context.openHost();
  const https = await changeHttps(places.hostFile, change, host, isAsked);
  const unannounced = await announce(places.hostFile, https.port ?? 8443, host);
  for (const why of unannounced) await output.remark(`HTTPS is not announced on the LAN: ${why}`);
  const tls = await rereadAndKept(invocation);
  if (tls === null) {
    const remark = `HTTPS is on in ${places.hostFile}. It begins when the agent starts: systemctl start steward`;
    return output.changed({ enabled: true }, remark);
  }
  if (!tls.listening || tls.problem !== null) {
    const what = tls.listening ? "there is a fault" : "does not work yet";
    const why = tls.problem ?? "journalctl --unit steward says why.";
    throw new CommandError(1, `HTTPS is on in ${places.hostFile}, but ${what}: ${why}`);
  }
  await output.changed(tls, welcomeOf(tls));
  await remarkTaken(invocation);
}

/** Another device on the LAN has this one's name. */
async function remarkTaken({ client, output }: Invocation): Promise<void> {
  const { needs } = await client.call("getStatus", {});
  const taken = needs.map(findingOf).filter(({ code }) => code === "https_name_taken");
  for (const { detail } of taken) await output.remark(detail);
}

async function rereadAndKept(invocation: Invocation): Promise<Tls | null> {
  const tls = await reread(invocation.client);
  await keepAccepted(invocation);
  return tls;
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new CommandError(2, `"${text}" is not a port: give a number from 1 to 65535.`);
}

/** After HTTPS was switched on. The certificate of a device without an address on the LAN gives way to another one. */
export function welcomeOf({ urls, certificate }: Pick<Tls, "urls" | "certificate">): string {
  const addresses = urls.map((url) => `  ${url}`).join("\n");
  const which = `The SHA-256 fingerprint of its certificate is\n  ${certificate?.fingerprint ?? ""}`;
  if (certificate?.source === "installed") return `HTTPS is on:\n${addresses}\n${which}`;
  if (!urls.some((url) => /^https:\/\/(\[|\d+\.\d)/.test(url)))
    return "HTTPS is on, but this device has no address on the LAN yet. Within a minute of having one it makes its certificate for it; `steward tls show` prints the addresses and the fingerprint then.";
  return `HTTPS is on:\n${addresses}\nThe device has made its certificate, so browsers warn at the first visit. ${which}\nCompare it with the one that the browser shows, and only then go on.`;
}

function fieldsOf(tls: Tls): Fields {
  const { certificate } = tls;
  return [
    ["HTTPS on the LAN", tls.enabled ? (tls.listening ? "on" : "on, but not listening") : "off"],
    ["addresses", tls.urls],
    ...(tls.redirects_from === null ? [] : [["redirects from port", tls.redirects_from] as const]),
    ...(tls.problem === null ? [] : [["problem", tls.problem] as const]),
    ...(certificate === null ? [] : certificateFields(certificate)),
    ...tls.refused.map(({ name, detail }) => [`not used: ${name}`, detail] as const),
  ];
}

function certificateFields(certificate: NonNullable<Tls["certificate"]>): Fields {
  const { installed, subject, issuer, names, addresses, not_before, not_after } = certificate;
  return [
    ["certificate", installed ?? "made by the device"],
    ["subject", subject],
    ["issuer", issuer],
    ["for names", names],
    ["for addresses", addresses],
    ["valid from", not_before],
    ["valid until", not_after],
    ["SHA-256 fingerprint", certificate.fingerprint],
    ["public key", certificate.public_key_pin],
  ];
}
