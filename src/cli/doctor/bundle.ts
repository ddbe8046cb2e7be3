import { type FileHandle, open } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { messageOf, rethrown } from "../../contract/errors.ts";
import { mostItems } from "../../contract/schemas/lists.ts";
import { archiveOf } from "../../store/archives/write-tar.ts";
import { safeJson } from "../../terminal/escape.ts";
import { fileFailure, newFileFailure } from "../../terminal/failure.ts";
import { createHttpClient } from "../client/client.ts";
import { type DoctorContext, outputOf, textBehind } from "./doctor-context.ts";
import { journalWords } from "./look-at-log.ts";
import { createRedaction } from "./redaction.ts";
import { type Report, reportText } from "./report.ts";

const readme = `steward doctor --bundle has made this archive, on the command line or for the console. It holds:

report.txt, report.json  the findings of steward doctor
state.json               the agent's documents: their condition and size, not their contents
settings.json            the settings, without secrets
steward.json             the host file
journal.txt              the last 500 lines of Steward's units
units.txt, disks.txt, mounts.txt, clock.txt, system.txt
                         what systemctl, df, mount, timedatectl and os-release say

It holds no password, hash, key, token or session. User names are user-1, user-2 and so on, addresses address-1 and so
on, and the host name is this-device; the contact of the settings is left out, and so are path and query of addresses, which
may be a secret: settings.json has four digits in their place, which change with them. The device's name and location,
further names in the host file, and those of time and update servers stay, and so does the output of the product's hooks:
read it before you send it.
`;

interface BundledFile {
  readonly name: string;
  readonly text: string;
}

/** Programs whose output goes into the bundle. */
const programs: readonly (readonly [file: string, program: string, args: readonly string[]])[] = [
  [
    "units.txt",
    "systemctl",
    ["show", "--property=Id,LoadState,ActiveState,SubState,Result,NRestarts,UnitFileState", "steward*"],
  ],
  ["disks.txt", "df", ["-hT"]],
  ["mounts.txt", "mount", []],
  ["clock.txt", "timedatectl", ["show"]],
];

/** Opens the file of the bundle, the archive for another person, now: it must not be there yet; `-` is standard output. */
export async function openBundle(context: DoctorContext, path: string, stdout: NodeJS.WritableStream) {
  const file =
    path === "-"
      ? undefined
      : await open(path, "wx", 0o600).catch(rethrown((error) => newFileFailure(error, path)));
  const files: BundledFile[] = [];
  return {
    /** Reads what takes root. */
    gather: async (): Promise<void> => {
      for (const [name, program, args] of programs) {
        const text = await outputOf(context, program, args);
        files.push({ name, text: text ?? `${program} is not there, or failed.\n` });
      }
      files.push({ name: "journal.txt", text: await journalOf(context) });
      files.push({ name: "system.txt", text: (await textBehind("/etc/os-release")) ?? "" });
      files.push({ name: "steward.json", text: (await textBehind(context.places.hostFile)) ?? "absent\n" });
    },
    /** Writes the archive, and returns a sentence about it. */
    write: async (report: Report): Promise<string> => {
      const { users, documents } = await readDocuments(context);
      const redact = createRedaction({ users, hostNames: await hostNames(context) });
      const all = [
        { name: "report.txt", text: reportText(report) },
        { name: "report.json", text: `${safeJson(report)}\n` },
        ...documents,
        ...files,
      ].map(({ name, text }) => ({ name: `steward-doctor/${name}`, text: redact(text) }));
      const archive = await packed([{ name: "steward-doctor/README", text: readme }, ...all], context.now());
      await put(archive, file, path, stdout);
      const where = file === undefined ? "standard output" : path;
      return `${all.length + 1} files, ${archive.length} bytes, were written to ${where}. They have no secrets, and numbers in place of users and addresses; the README in them says more.`;
    },
  };
}

const mostLines = 500;

/** Questions to the agent; a page may have fewer lines than asked for. */
const mostPages = 10;

/** Milliseconds for the agent to read them. */
const agentMilliseconds = 10_000;

/** The lines of journalctl; if it shows none, as to every user but root, those that the agent gives by its own reader. */
async function journalOf(context: DoctorContext): Promise<string> {
  const words = [...journalWords, "-o", "short-iso", "-n", String(mostLines)];
  const text = await outputOf(context, "journalctl", words);
  if (text !== null && text.trim() !== "") return text;
  try {
    return (await linesOfAgent(context)).reverse().join("");
  } catch (error) {
    return `journalctl shows this user no lines, and the agent gave none: ${messageOf(error)}\n`;
  }
}

/** The newest first. */
async function linesOfAgent({ places }: DoctorContext): Promise<string[]> {
  const client = createHttpClient(places, { timeoutMilliseconds: agentMilliseconds });
  const lines: string[] = [];
  let cursor: string | null | undefined;
  for (let pages = 0; cursor !== null && pages < mostPages && lines.length < mostLines; pages += 1) {
    const limit = Math.min(mostItems, mostLines - lines.length);
    const page = await client.call("listLogs", { query: { limit, ...(cursor && { cursor }) } });
    for (const { time, unit, pid, message } of page.items)
      lines.push(`${time} ${unit}[${pid ?? "-"}]: ${message}\n`);
    cursor = page.next_cursor;
  }
  return lines;
}

async function packed(files: readonly BundledFile[], modifiedAt: Date): Promise<Buffer> {
  const entries = files.map(({ name, text }) => {
    const content = Buffer.from(text);
    return { path: name, bytes: content.length, content: [content] };
  });
  return gzipSync(await buffer(archiveOf(entries, modifiedAt)));
}

async function put(
  archive: Buffer,
  file: FileHandle | undefined,
  path: string,
  stdout: NodeJS.WritableStream,
): Promise<void> {
  if (file === undefined) {
    await new Promise<void>((resolve, reject) => {
      stdout.write(archive, (error) => (error ? reject(error) : resolve()));
    });
    return;
  }
  await file
    .writeFile(archive)
    .catch(rethrown((error) => fileFailure(error, path)))
    .finally(() => file.close());
}

/** This process's host name and that of hostname(5): the agent's unit keeps the one of its start (ProtectHostname=). */
async function hostNames({ root }: DoctorContext): Promise<string[]> {
  const text = await textBehind(join(root, "/etc/hostname"));
  const [name = ""] = /^[^#\s]+/m.exec(text ?? "") ?? [];
  return [hostname(), name];
}

/** The contact may be a person with a telephone number. */
function withoutContact(settings: unknown): unknown {
  const { device } = (settings ?? {}) as { device?: object };
  return device === undefined
    ? settings
    : { ...(settings as object), device: { ...device, contact: "(left out)" } };
}

/** The documents without what is in them, the settings, and the names that must be taken out of everything. */
async function readDocuments({ openState, places }: DoctorContext) {
  const users: string[] = [];
  const documents: BundledFile[] = [];
  try {
    const tools = await openState(places.stateDirectory);
    documents.push({ name: "state.json", text: `${safeJson(await tools.list())}\n` });
    const settings = withoutContact(await tools.show("settings").catch(() => null));
    documents.push({ name: "settings.json", text: `${safeJson(settings)}\n` });
    const shown = (await tools.show("users")) as {
      accounts?: readonly { username: string; display_name: string }[];
    };
    for (const { username, display_name } of shown.accounts ?? [])
      users.push(username, ...(display_name ? [display_name] : []));
  } catch {
    // The findings report a state that cannot be read.
  }
  return { users, documents };
}
