import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rethrown } from "../contract/errors.ts";
import { freeSpace } from "../host/linux/free-space.ts";
import { createTransfers } from "../host/linux/transfers/transfers.ts";
import { type CheckReport, checkServer } from "../publishing/check/check.ts";
import { sentenceOf } from "../publishing/check/findings.ts";
import type { OpenTransfers } from "../publishing/check/noted-transfers.ts";
import { openWorkspace } from "../publishing/workspace.ts";
import { CommandError, OnlyExitCode } from "../terminal/command-error.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { escapeText } from "../terminal/escape.ts";
import { fileFailure } from "../terminal/failure.ts";
import { formatTable } from "../terminal/table.ts";
import { expiringExitCode, expiringSentence } from "./publish.ts";
import { deviceKindOf, deviceOptions, marginOption, marginSecondsOf, surroundingsOf } from "./repository.ts";
import { repositoryReport, section } from "./view.ts";

export const checkCommand: Command = {
  path: ["check"],
  summary: "Read an uploaded repository as devices do; exit 1 if they would refuse something",
  positionals: [{ name: "URL" }, { name: "DIR", isOptional: true }],
  options: [
    {
      name: "root",
      value: "FILE",
      summary: "the root that devices are given; the 1.root.json of DIR, or of the server, if not given",
    },
    ...deviceOptions,
    { name: "payloads", summary: "download and verify the payloads, not only their lengths" },
    marginOption,
    {
      name: "redirect-origin",
      value: "ORIGIN",
      summary: "follow redirects to it, as update.redirect_origins of devices; may be repeated",
    },
    { name: "proxy", value: "URL", summary: "http://host:port, as update.proxy of devices" },
    {
      name: "ca-file",
      value: "FILE",
      summary: "authorities (PEM) beside those of Node, as update.ca_file of devices",
    },
  ],
  async run(invocation) {
    const [address = ""] = invocation.positionals;
    const report = await checked(invocation, address);
    await invocation.output.report(report, textOf(report, address));
    if (report.problems.length > 0) throw new OnlyExitCode(1);
    if (report.expiring.length > 0)
      throw new CommandError(expiringExitCode, expiringSentence(report.expiring));
  },
};

/** Throws CommandError(2), CommandError(130), and what cannot be used of the given files. */
async function checked(invocation: Invocation, address: string): Promise<CheckReport> {
  const { positionals, options } = invocation;
  if (!/^(https?|file):\/\//.test(address)) {
    const said = `check takes the address of a server, such as https://updates.example, not "${address}".`;
    throw new CommandError(2, escapeText(`${said} Files here: steward-publisher inspect ${address}`));
  }
  const surroundings = surroundingsOf(invocation);
  const [, directory] = positionals;
  const workspace = directory === undefined ? undefined : await openWorkspace(directory, surroundings);
  const file = options.text("root") ?? (workspace && join(workspace.metadata, "1.root.json"));
  const root = file && (await readFile(file).catch(rethrown((error) => fileFailure(error, file))));
  const request = {
    address,
    workspace,
    root: root || undefined,
    now: surroundings.now(),
    openTransfers: transfersFor(invocation),
    device: deviceKindOf(invocation),
    marginSeconds: marginSecondsOf(invocation),
  };
  const signal = invocation.context.interruption();
  const scratch = await mkdtemp(join(tmpdir(), "steward-publisher-"));
  try {
    const payloads = { areWhole: options.has("payloads"), directory: scratch, freeSpace };
    return await checkServer({ ...request, payloads, signal });
  } catch (error) {
    throw signal.aborted ? new CommandError(130, "Interrupted.") : error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Set up as on a device, by its host file: no variable of the environment names a proxy. */
function transfersFor({ options, context }: Invocation): OpenTransfers {
  return (redirects) =>
    createTransfers({
      redirects,
      redirectOrigins: options.texts("redirect-origin"),
      allowLocalServers: true,
      caFile: options.text("ca-file"),
      proxy: options.text("proxy"),
      members: { ca_file: "--ca-file", proxy: "--proxy", redirect_origins: "--redirect-origin" },
      userAgent: `steward-publisher/${context.program.version}`,
    });
}

function textOf(report: CheckReport, address: string): string {
  const { findings, offers } = report;
  const heads = ["PRODUCT", "CHANNEL", "ARCH", "RULES", "BINARY"];
  const rows = offers.map((one) => [one.product, one.channel, one.arch, one.rules, one.binary]);
  const remarks = findings.filter(({ is_refused }) => !is_refused).map(sentenceOf);
  return [
    repositoryReport(report, address),
    ...section("DEVICES GET", rows.length === 0 ? "" : formatTable({ heads, rows })),
    ...section("REMARKS", remarks.map((one) => `  ${escapeText(one)}\n`).join("")),
  ].join("");
}
