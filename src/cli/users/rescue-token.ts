import { constants } from "node:fs";
import { mkdir, open, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { makeRescueToken, rescueTokenName } from "../../auth/sign-in/rescue-token.ts";
import { type ExaminedHost, OnlyExitCode, type RescueDecisions } from "../client/context.ts";
import { fileFailure } from "../client/failure.ts";
import type { Places } from "../client/places.ts";
import type { Command, Invocation } from "../framework/command.ts";
import { writeForAgent } from "./write-for-agent.ts";

/** Makes a token of rescue; an earlier one becomes invalid. */
export async function writeRescueToken(
  { runDirectory }: Pick<Places, "runDirectory">,
  { uptime }: Pick<ExaminedHost, "uptime">,
): Promise<string> {
  const path = join(runDirectory, rescueTokenName);
  const { token, text } = makeRescueToken(uptime());
  try {
    await writeForAgent(path, text, await stat(runDirectory));
  } catch (error) {
    throw fileFailure(error, path);
  }
  return token;
}

export const rescueRemark =
  "Open the console's address with /#setup= and this token behind it. The token is good once, for 30 minutes, whatever the clock says.";

/** Exit code that the unit does not start again after. */
const refused = 5;

/**
 * What stands on the terminal; `address`: of the console on the LAN, null: it is not reached there directly. ASCII and
 * no backslash, which agetty(8) would take for one of its own words.
 */
export function rescueText(token: string, address: string | null): string {
  const where = address === null ? "" : `, such as\n\n    ${address}/#setup=${token}`;
  return `
Steward was booted for rescue (steward.rescue=1 on the kernel's command line).

    Setup token:  ${token}

It is good once, for 30 minutes. In a browser, open the console with /#setup=
and the token behind its address${where}

Make an administrator there, or type the name of one to set another password:
that ends the sessions, second factor and API tokens of the administrator.

`.replaceAll("\\", "");
}

/** For steward-rescue.service, which is started where the kernel's command line asks for it. */
export const announceRescue: Command = {
  path: ["announce-rescue"],
  isHidden: true,
  summary: "Print a token of rescue for the first terminal, if the host file permits it",
  positionals: [],
  options: [
    { name: "issue", value: "FILE", isFile: true, summary: "also into this file for agetty(8)" },
    { name: "terminal", value: "FILE", isFile: true, summary: "also to this terminal, where there is one" },
  ],
  async run({ context, options, output, places, client }) {
    const announce = async (text: string): Promise<void> => {
      await output.text(text);
      const issue = options.text("issue");
      if (issue !== undefined) await writeIssue(issue, text);
      const terminal = options.text("terminal");
      // A device may have no terminal, or one that takes nothing.
      if (terminal !== undefined) await writeToTerminal(terminal, text).catch(() => undefined);
    };
    const host = await context.openHost();
    const decisions = await host.readHostFile(places.hostFile);
    const why = await obstacle(decisions, { places, client });
    if (why !== null) {
      await announce(`\nSteward: steward.rescue=1 has no effect: ${why}\n\n`);
      throw new OnlyExitCode(refused);
    }
    const { enabled, port } = decisions.https;
    const name = hostname().replace(/\.local$/, "");
    const address = enabled ? `https://${name}.local:${port}` : null;
    await announce(rescueText(await writeRescueToken(places, host), address));
  },
};

/** Why no token is made; null: nothing is in the way. */
async function obstacle(
  { kernelRescue }: RescueDecisions,
  { places, client }: Pick<Invocation, "places" | "client">,
): Promise<string | null> {
  if (!kernelRescue) return `${places.hostFile} says kernel_rescue: false.`;
  // Waits for an agent that is starting.
  const { status } = await client.call("getHealth", {});
  return status === "rescue"
    ? "the state of the agent is damaged; as root, `steward doctor` says how it is repaired."
    : null;
}

async function writeIssue(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  // One of an earlier token, with another mode.
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o644 });
}

async function writeToTerminal(path: string, text: string): Promise<void> {
  // Never as the controlling terminal of this process.
  const terminal = await open(path, constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK);
  try {
    await terminal.writeFile(text.replaceAll("\n", "\r\n"));
  } finally {
    await terminal.close();
  }
}
