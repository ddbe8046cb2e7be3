import { spawn } from "node:child_process";
import { lstat, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandContext } from "../../cli/client/context.ts";
import { createRunCommand } from "../../host/linux/commands.ts";
import type { RunCommand } from "../../host/ports.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Program } from "../program.ts";

/** machine-id(5): an empty file gets a new id at the next boot. */
const machineId = "/etc/machine-id";

/** systemd would take the id from the first, and would seed every copy's random numbers from the second. */
const secondary = ["/var/lib/dbus/machine-id", "/var/lib/systemd/random-seed"];

/** Audit lines name users, and under the id of this machine no copy would ever delete them. */
const journals = ["/var/log/journal", "/run/log/journal"];
const ofAuditLines = /^[0-9a-f]{32}\.steward$/;

const unit = "steward.service";
const longestMilliseconds = 60_000;

/**
 * Stops the agent, deletes its state as the state's owner, its audit lines, then the identity of the machine, and
 * switches it off. The machine-id goes last, so that an interrupted run can be repeated.
 */
export async function prepareImage(
  { assetsDirectory, node, userId }: Program,
  { stateDirectory, socketPath }: Parameters<CommandContext["prepareImage"]>[0],
): Promise<void> {
  if (userId() !== 0) throw new CommandError(4, "factory-reset --image needs root.");
  const run = createRunCommand();
  await systemctl(run, ["stop", unit]);
  const owner = await stat(stateDirectory);
  const words = ["factory-reset", "--yes", "--state", stateDirectory, "--socket", socketPath];
  const { code, said } = await runAs(owner, [node, join(assetsDirectory, "main.js"), ...words]);
  if (code !== 0) {
    await systemctl(run, ["start", unit]);
    throw new CommandError(code, `The state cannot be deleted; this machine is as it was. ${said}`);
  }
  await deleteAuditLines();
  await writeFile(machineId, "");
  for (const path of secondary) if (await isFile(path)) await rm(path);
  await systemctl(run, ["--no-block", "poweroff"]);
}

async function deleteAuditLines(): Promise<void> {
  for (const directory of journals) {
    const names = await readdir(directory).catch(() => []);
    for (const name of names.filter((one) => ofAuditLines.test(one)))
      await rm(join(directory, name), { recursive: true, force: true });
  }
}

async function systemctl(run: RunCommand, words: readonly string[]): Promise<void> {
  const { status, stderr } = await run("systemctl", words, { timeoutMilliseconds: longestMilliseconds });
  if (status === 0) return;
  throw new CommandError(1, `systemctl ${words.join(" ")} failed: ${stderr.trim() || `status ${status}`}`);
}

function runAs(
  { uid, gid }: { uid: number; gid: number },
  [program = "", ...words]: readonly string[],
): Promise<{ code: number; said: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { uid, gid, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? 1, said: said.trim() }));
  });
}

/** False for a link: Debian's /var/lib/dbus/machine-id is often one to /etc/machine-id. */
async function isFile(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
