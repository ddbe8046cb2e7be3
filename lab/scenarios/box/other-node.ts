/** A box on which others have put their own programs first: in /usr/local/bin, and by nvm in root's PATH. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";

/** Programs that root types here, and that apt starts, are looked for in this order. */
const rootsPath =
  "/root/.nvm/versions/node/v18.20.4/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Each leaves a mark in the journal, which programs in a sandbox reach as well, and then does what it is asked to. */
const others = [
  ...[
    "cat",
    "chronyc",
    "cmp",
    "cut",
    "deb-systemd-helper",
    "deb-systemd-invoke",
    "dpkg-query",
    "env",
    "find",
  ],
  ...[
    "flock",
    "getent",
    "grep",
    "hostname",
    "journalctl",
    "openssl",
    "readlink",
    "sed",
    "setpriv",
    "sh",
    "sleep",
  ],
  ...[
    "steward",
    "sync",
    "systemctl",
    "systemd-sysusers",
    "systemd-tmpfiles",
    "timedatectl",
    "timeout",
    "unshare",
  ],
];

export const oldNode = "/usr/local/bin/node";

/** A runtime of others that is too old for Steward, and says so of itself where it is started. */
export function putNode(path: string, version: string): void {
  putProgram(
    path,
    `${leaving("node")}\n[ "$1" != --version ] || exec echo v${version}\necho "SyntaxError: of v${version}" >&2; exit 1`,
  );
}

export function putProgram(path: string, script: string): void {
  mkdirSync(path.replace(/\/[^/]*$/, ""), { recursive: true });
  // A file of which a process runs cannot be written.
  rmSync(path, { force: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

const leaving = (name: string): string =>
  `/usr/bin/logger -t hostile "${name} for $(/usr/bin/tr '\\0' ' ' </proc/$PPID/cmdline)"`;

export function putOthers(): void {
  putNode("/root/.nvm/versions/node/v18.20.4/bin/node", "18.20.4");
  putNode(oldNode, "16.20.2");
  for (const name of others)
    putProgram(`/usr/local/bin/${name}`, `${leaving(name)}\nexec /usr/bin/${name} "$@"`);
}

/** The programs of others that ran, and for whom: not for the person, and this scenario, who type by names. */
export async function marks(guest: Guest): Promise<string> {
  const words = ["--identifier=hostile", "--output=cat", "--no-pager", "--quiet"];
  const { stdout } = await guest.run("/usr/bin/journalctl", words);
  const isTyped = / for (\/bin\/sh -c cd |\/usr\/lib\/steward-vm\/)/;
  return stdout
    .split("\n")
    .filter((line) => !isTyped.test(line))
    .join("\n");
}

/** A line as root types it, in a folder. */
export function typed(
  guest: Guest,
  line: string,
  options: { input?: string; folder?: string } = {},
): Promise<Ran> {
  const { folder = "/root/now", input = "" } = options;
  const environment = { PATH: rootsPath, DEBIAN_FRONTEND: "noninteractive" };
  return guest.run("/bin/sh", ["-c", `cd ${folder} && ${line}`], { environment, input, timeoutSeconds: 180 });
}

export async function answers(guest: Guest, line: string, input = ""): Promise<Ran> {
  const ran = await typed(guest, line, { input });
  guest.check(`${line} works`, ran.status === 0, ran);
  return ran;
}

/** The line to type at the end of the sentence. */
export const remedyIn = (text: string): string => /\. As root: (.+)$/m.exec(text)?.[1] ?? "";

/** Each command, the journal and the unit's status say the same one sentence. */
export async function refusedEverywhere(guest: Guest, sentence: string): Promise<void> {
  await typed(guest, "systemctl restart steward.service");
  for (const line of ["steward --version", "steward doctor", "steward status", "steward user list"]) {
    const ran = await typed(guest, line);
    const isSaid = ran.status === 11 && ran.stdout === "" && ran.stderr === `${sentence}\n`;
    guest.check(`${line} says which runtimes there are, and what to type`, isSaid, ran);
  }
  const shown = await guest.until("the unit has waited after failed starts", 90, async () => {
    const { stdout } = await guest.run("/usr/bin/systemctl", [
      "status",
      "--no-pager",
      "--full",
      "steward.service",
    ]);
    return /starts failed in a row: waiting/.test(stdout) && stdout;
  });
  guest.check("systemctl status says it, too", shown.includes(`: ${sentence}`), shown);
  const { stdout: log } = await typed(guest, "journalctl -u steward.service -o cat --no-pager -n 40");
  guest.check("and so does the journal", log.includes(`\n${sentence}\n`), log);
}

/** Types what the sentence says; the agent comes back without another word. */
export async function mendedBy(guest: Guest, sentence: string): Promise<void> {
  const ran = await typed(guest, remedyIn(sentence));
  guest.check(`the line works: ${remedyIn(sentence)}`, ran.status === 0, ran);
  await guest.stewardAnswers();
  await answers(guest, "steward --version");
}
