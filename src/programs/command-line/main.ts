/** One command of `steward`, as a process. */
import { stat } from "node:fs/promises";
import { runCommandLine } from "../../cli/main.ts";
import { StewardError } from "../../contract/errors.ts";
import { end, fail } from "../../terminal/ending.ts";
import { clockAddon } from "../build.ts";
import { begin, program } from "../program.ts";
import { createCommandContext, type Terminal } from "./context.ts";

begin();
runCommandLine(process.argv.slice(2), createCommandContext(program, terminal())).then(end, fail);

function terminal(): Terminal {
  const { stdout, stderr } = process;
  return {
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    interruption: () => {
      const interruption = new AbortController();
      process.once("SIGINT", () => interruption.abort());
      return interruption.signal;
    },
    becomeOwner,
    asAgent: async () => {
      const { createRunCommand } = await import("../../host/linux/commands.ts");
      const { createAgentsRights } = await import("../../host/linux/releases/agent-rights.ts");
      return createAgentsRights(createRunCommand(), await ownCredentials());
    },
  };
}

/** Turns root into the owner of the state, with no way back: files stay the owner's, and no other user's is opened. */
async function becomeOwner(directory: string, { keepsClock = false } = {}): Promise<void> {
  const owner = await stat(directory).catch((cause: unknown) => {
    throw new StewardError("not_found", `There is no state in ${directory}: the agent has never run here.`, {
      cause,
    });
  });
  const present = process.getuid?.();
  if (present === owner.uid) return;
  if (present !== 0) {
    throw new StewardError(
      "forbidden",
      `The state in ${directory} belongs to another user. Run this as root or as that user.`,
    );
  }
  const { becomeUser } = await import("../../host/linux/credentials.ts");
  const { changeUserKeepingTimeCapability } = await import("../../host/linux/clock/clock-addon.ts");
  const addon = clockAddon(program.assetsDirectory);
  const credentials = await ownCredentials();
  // The group lets root's commands read the journal, also if there is no steward-logs.socket.
  const change = () => becomeUser(credentials, owner, "systemd-journal");
  if (keepsClock) changeUserKeepingTimeCapability(addon, change);
  else change();
}

async function ownCredentials() {
  const { openCredentials } = await import("../../host/linux/credentials.ts");
  return openCredentials(clockAddon(program.assetsDirectory), process);
}
