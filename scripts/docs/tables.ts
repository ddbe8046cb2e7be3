/** The tables of the documents, made from the contract and from the table of commands. */

import { wholeTable } from "../../src/cli/command-table.ts";
import { settingKeysOf, settingText } from "../../src/cli/system/setting-keys.ts";
import { updateExitCodes } from "../../src/cli/updates/update-ends.ts";
import { type ErrorCode, errorCodes } from "../../src/contract/error-codes.ts";
import { type EventType, eventTypes } from "../../src/contract/event-types.ts";
import type { EventRows, Heard } from "../../src/contract/events/row.ts";
import { type MetricFamily, metricFamilies } from "../../src/contract/metrics.ts";
import type { Access, Operation } from "../../src/contract/operations/operation.ts";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { settings } from "../../src/contract/schemas/settings.ts";
import { fleetScopes, scopes } from "../../src/contract/scopes.ts";
import { eventNotes, eventTitles } from "../../src/contract/words/en/events.ts";
import { titleOf } from "../../src/contract/words/en/problems.ts";
import { commandTable as publisher } from "../../src/publisher/command-table.ts";
import { type Command, type CommandTable, groupOf } from "../../src/terminal/commands/command.ts";
import { commandUsage } from "../../src/terminal/commands/usage.ts";
import { hostFileMembers, planMembers } from "./host-file-members.ts";
import { limits } from "./limits.ts";

const commandTable = await wholeTable();

/** Every table by the name in its marker. */
export const tables: Readonly<Record<string, () => string>> = {
  settings: settingsTable,
  "error-codes": errorCodesTable,
  events: eventsTable,
  heard: heardTable,
  "exit-codes": () => exitCodesTable(commandTable),
  "update-exit-codes": () => exitCodesTable({ exitCodes: updateExitCodes }),
  commands: () => commandsTables(commandTable),
  "publisher-commands": () => commandsTables(publisher),
  "publisher-exit-codes": () => exitCodesTable(publisher),
  routes: routesTable,
  scopes: scopesTable,
  metrics: metricsTable,
  limits: () => markdownTable(["what", "limit", "beyond it"], limits),
  "host-file": () => membersTable(hostFileMembers),
  "host-file-plan": () => membersTable(planMembers),
};

function settingsTable(): string {
  const rows = settingKeysOf(settings).map(({ key, type, values, defaultValue, writer, description }) => [
    `\`${key}\``,
    values === undefined ? type : values.map((value) => `\`${String(value)}\``).join(", "),
    `\`${settingText(defaultValue) || '""'}\``,
    String(writer),
    description,
  ]);
  return markdownTable(["setting", "type", "default", "least role", "meaning"], rows);
}

function errorCodesTable(): string {
  const rows = Object.entries(errorCodes).map(([code, { status, exit }]) => [
    ...[`\`${code}\``, status, exit, titleOf(code as ErrorCode)],
  ]);
  return markdownTable(["code", "HTTP status", "exit code", "title"], rows);
}

function eventsTable(): string {
  const rows = (Object.keys(eventTypes) as EventType[]).map((type) => {
    const { log, audience, details: members } = eventTypes[type];
    const readers = audience === "security" ? "administrators" : "administrators, operators";
    const details = Object.keys(members).map((name) => `\`${name}\``);
    const words = [eventTitles[type], eventNotes[type]].filter(Boolean).join(": ");
    return [`\`${type}\``, words, details.join(", "), log, readers];
  });
  const heads = ["event", "what it records", "members of `details`", "log"];
  return markdownTable([...heads, "readers besides the user concerned"], rows);
}

/** When people hear of an event, by the word of its row. */
const heardWords: Readonly<Record<Exclude<Heard, "never">, string>> = {
  always: "always",
  at_once: "always, at once",
  as_need: "always; at once where something fails",
  unless_need: "unless it is a need as well",
  of_administrator: "of an administrator, present or former",
  of_new_address: "of an administrator, from a new address",
  of_lasting_right: "where the token can change something, for longer than a day",
  of_safeguard: "of the settings `notify` at once, of `security` and `update`",
  unless_root: "by an administrator, not by root on the device",
  as_marked: "where `message` of the report says so",
};

function heardTable(): string {
  const rows = Object.entries<EventRows[string]>(eventTypes).flatMap(([type, { heard }]) =>
    heard === "never" ? [] : [[`\`${type}\``, eventTitles[type as EventType], heardWords[heard]]],
  );
  return markdownTable(["event", "what it records", "when people hear of it"], rows);
}

function exitCodesTable({ exitCodes }: Pick<CommandTable, "exitCodes">): string {
  return markdownTable(["exit code", "meaning"], exitCodes);
}

function commandsTables(table: CommandTable): string {
  const { commands, groups } = table;
  return groups
    .map((group) => {
      const members = commands.filter((command) => !command.isHidden && groupOf(table, command) === group);
      const rows = members.map((command) => [`\`${usageOf(table, command)}\``, command.summary]);
      return `### ${group.title}\n\n${markdownTable(["command", "what it does"], rows)}`;
    })
    .join("\n\n");
}

function usageOf(table: CommandTable, command: Command): string {
  return (commandUsage(table, command).split("\n")[0] ?? "").replace(/^Usage: /, "");
}

function routesTable(): string {
  const rows = operationIds.map((id) => {
    const operation = operationOf(id);
    const { method, path, stepUp, scope, summary } = operation;
    const who = `${callersOf(operation)}${stepUp ? ", with step-up" : ""}`;
    return [`\`${method} ${path}\``, summary, who, scope === undefined ? "" : `\`${scope}\``];
  });
  return markdownTable(["route", "what it does", "who may call it", "scope"], rows);
}

function callersOf({ access, isOfCommandLine, ofConsole }: Operation): string {
  if (isOfCommandLine) return "local root, with the command line `steward` only";
  return ofConsole ? `${accessWords(access)}, with the console only` : accessWords(access);
}

function accessWords(access: Access): string {
  if (access === "open") return "anyone";
  if (access === "session") return "a signed-in user, for themselves";
  if (access === "self") return "that user alone";
  if (access === "token") return "a program, for its own API token";
  if (access === "local") return "local root";
  const roles = access.roles.length === 3 ? "every role" : access.roles.join(", ");
  return access.self ? `${roles}; the user concerned` : roles;
}

function scopesTable(): string {
  const operations: readonly Operation[] = operationIds.map(operationOf);
  const rows = Object.entries(scopes).map(([scope, roles]) => {
    const isOfFleet = (fleetScopes as readonly string[]).includes(scope);
    const own = operations.filter((operation) => operation.scope === scope);
    const routes = own.map(({ method, path }) => `\`${method} ${path}\``).join(", ");
    return [`\`${scope}\``, `${roles.join(", ")}${isOfFleet ? ", for fleet tokens only" : ""}`, routes];
  });
  return markdownTable(["scope", "roles whose users can have it", "routes"], rows);
}

function metricsTable(): string {
  const rows = Object.entries<MetricFamily>(metricFamilies).map(([name, { type, labels, help }]) => {
    const named = labels.map((label) => `\`${label}\``);
    return [`\`${name}\``, type, named.join(", "), help];
  });
  return markdownTable(["metric", "type", "labels", "meaning"], rows);
}

function membersTable(members: readonly { path: string; words: string }[]): string {
  const rows = members.map(({ path, words }) => [`\`${path}\``, words]);
  return markdownTable(["member", "meaning"], rows);
}

function markdownTable(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(String).map(escaped).join(" | ")} |`;
  return [line(heads), `|${heads.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

/** GitHub's tables end a cell at a bar, in code too. */
function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll("\n", " ");
}
