import { stat } from "node:fs/promises";
import { rethrown } from "../contract/errors.ts";
import { type FileReport, inspectFile, inspectRepository } from "../publishing/inspect.ts";
import { CommandError, OnlyExitCode } from "../terminal/command-error.ts";
import type { Command } from "../terminal/commands/command.ts";
import { escapeText } from "../terminal/escape.ts";
import { fileFailure } from "../terminal/failure.ts";
import { formatFields } from "../terminal/table.ts";
import { surroundingsOf } from "./repository.ts";
import { expiry, repositoryReport } from "./view.ts";

export const inspectCommand: Command = {
  path: ["inspect"],
  summary: "Show a repository, an uploaded copy, or one metadata file; exit 1 if devices could not read it",
  positionals: [{ name: "PATH", isOptional: true }],
  options: [],
  async run(invocation) {
    const { positionals, output } = invocation;
    const [path = "."] = positionals;
    if (/^(https?|file):/i.test(path))
      throw new CommandError(2, escapeText(`inspect reads files. A server: steward-publisher check ${path}`));
    const surroundings = surroundingsOf(invocation);
    const stats = await stat(path).catch(rethrown((error) => fileFailure(error, path)));
    if (stats.isFile()) {
      const report = await inspectFile(path, surroundings);
      return output.report(report, fileText(report));
    }
    const report = await inspectRepository(path, surroundings);
    await output.report(report, repositoryReport(report, path));
    if (report.problems.length > 0) throw new OnlyExitCode(1);
  },
};

function fileText(report: FileReport): string {
  const { type, version, expires, expires_in_seconds, signatures, fingerprint, signed } = report;
  return formatFields([
    ["type", type],
    ["version", version],
    ["expires", `${expires} (${expiry(expires_in_seconds)})`],
    ...(fingerprint === null ? [] : ([["fingerprint", fingerprint]] as const)),
    ["signatures", signatures.map(({ key_id, good }) => `${key_id.slice(0, 16)} ${words[String(good)]}`)],
    ["signed", signed],
  ]);
}

const words: Readonly<Record<string, string>> = {
  true: "good",
  false: "NOT GOOD",
  null: "(whose keys this file does not say)",
};
