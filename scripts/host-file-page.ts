/** The manual page steward.json(5) in man(7)'s language. */
import { settingKeysOf, settingText } from "../src/cli/system/setting-keys.ts";
import { settings } from "../src/contract/schemas/settings.ts";
import { hostFileMembers, type Member, planMembers } from "./docs/host-file-members.ts";
import { type Edition, plain } from "./roff.ts";

/** The page lists what root decides in the host file, and then the settings that are decided elsewhere. */
export function hostFilePage({ version, date }: Edition): string {
  return [
    `.TH STEWARD.JSON 5 "${plain(date)}" "steward ${plain(version)}" "File formats"`,
    ...[".nh", ".ad l"],
    ...[".SH NAME", "steward.json \\- root's decisions about this appliance"],
    ...[".SH SYNOPSIS", ".I /etc/steward/steward.json"],
    ...[".SH DESCRIPTION", ...description.map(plain)],
    ...[".SH MEMBERS", ...hostFileMembers.flatMap(memberParagraph)],
    ...[".SH MEMBERS OF UPDATE.RULES AND UPDATE.BINARY", ...planDescription.map(plain)],
    ...planMembers.flatMap(memberParagraph),
    ...[".SH EXAMPLE", ".nf", ...JSON.stringify(hostFileExample, null, 2).split("\n").map(plain), ".fi"],
    ...[".SH SETTINGS", plain(settingsDescription), ...settingKeysOf(settings).flatMap(settingParagraph)],
    ...[".SH FILES", ...files.flatMap(([path, use]) => [".TP", `.I ${plain(path)}`, plain(use)])],
    ...[".SH SEE ALSO", ".BR steward (8)"],
    "",
  ].join("\n");
}

const description = [
  "The host file is a JSON object with any of the members below. The agent reads it when it starts, and never writes it.",
  "A file that is not valid is refused, as is one that a user other than root could have written, with a directory above it, or a program or certificate that it names. The agent then goes on with the one that was last accepted, which root keeps in /var/lib/steward-host.",
  "steward host-file check names all faults; members that are not known have no effect.",
  "Durations are whole numbers with units, the largest first: 250ms, 90s, 30m, 1h30m.",
];

const planDescription = [
  "How releases of a kind are put to work, and how their health is checked. Without it, releases of that kind are not applied.",
  "Programs are absolute paths, or paths below {release}/, which stands for the directory of the release. They run as root, without a shell.",
  "Their environment is STEWARD_RELEASE, STEWARD_VERSION, STEWARD_KIND and PATH.",
];

const settingsDescription =
  "Settings are not in this file: administrators change them over the API, in the console or with steward system set.";

const files = [
  ["/etc/steward/update-root.json", "the root of trust of updates; steward update trust install"],
  ["/var/lib/steward-host/steward.json", "the host file as it was last accepted"],
  ["/etc/steward/seal.key", "the key that secrets of authenticators are encrypted with"],
  ["/etc/steward/first-admin.json", "the first administrator, for a device that is provisioned"],
  ["/etc/steward/first-token.json", "the first API token, made by `steward token prepare`"],
] as const;

function memberParagraph({ path, words }: Member): string[] {
  return [".TP", `.B ${plain(path)}`, plain(`${words.replaceAll("`", "")}.`)];
}

function settingParagraph({ key, defaultValue, description }: ReturnType<typeof settingKeysOf>[number]) {
  const usual = settingText(defaultValue) || "empty";
  return [".TP", `.B ${plain(key)}`, plain(`${description}. Default: ${usual}.`)];
}

/** Small, and one that the agent takes. */
export const hostFileExample = {
  names: ["edge-7.example.net"],
  product: "pump-7",
  update: { rules: { unit: "pump.service", health: { http: [{ url: "http://127.0.0.1:9000/health" }] } } },
};
