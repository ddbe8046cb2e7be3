import { constants } from "node:fs";
import { mkdir, open, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { makeRescueToken, rescueTokenName } from "../../accounts/sign-in/rescue-token.ts";
import { rethrown, StewardError } from "../../contract/errors.ts";
import { type Owner, writeDurably } from "../../store/files/durable-file.ts";
import { OnlyExitCode } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { fileFailure } from "../../terminal/failure.ts";
import type { Command, Invocation } from "../client/command.ts";
import type { ExaminedHost } from "../client/context.ts";
import type { Places } from "../client/places.ts";

/** Makes a token of rescue; an earlier one becomes invalid. */
export async function writeRescueToken({ runDirectory }: Places, { uptime }: ExaminedHost): Promise<string> {
  const path = join(runDirectory, rescueTokenName);
  const { token, text } = makeRescueToken(uptime());
  await stat(runDirectory)
    .then((owner) => writeForAgent(path, text, owner))
    .catch(rethrown((error) => fileFailure(error, path)));
  return token;
}

/** Writes a file for the agent, whose user becomes its owner: root's would be closed to it. Throws the system's errors. */
export async function writeForAgent(path: string, text: string, owner: Owner): Promise<void> {
  await writeDurably(path, text, 0o600, owner).catch(
    rethrown((error) =>
      error instanceof StewardError && error.cause instanceof Error ? error.cause : (error as Error),
    ),
  );
}

export const rescueRemark =
  "Open the console's address with /#setup= and this token after it. The token works once, for 30 minutes, whatever the clock says.";

/** Exit code that the unit does not start again after. */
const refused = 5;

/** The text on the terminal; `address`: the console's on the LAN, null: it is not reached there directly. */
function rescueText(token: string, address: string | null): string {
  const where = address === null ? "" : `, such as\n\n    ${address}/#setup=${token}`;
  return `
Steward was booted for rescue (steward.rescue=1 on the kernel's command line).

    Setup token:  ${token}

It works once, for 30 minutes. In a browser, open the console with /#setup=
and the token after its address${where}

Make an administrator there, or type the name of one to set another password:
that ends the sessions, second factor and API tokens of the administrator.

`;
}

/** For steward-rescue.service, which is started where the kernel's command line asks for it. */
export const announceRescue: Command = {
  path: ["announce-rescue"],
  isHidden: true,
  summary: "Print a token of rescue for the first terminal, if the host file permits it",
  options: [
    { name: "issue", value: "FILE", summary: "also into this file for agetty(8)" },
    { name: "terminal", value: "FILE", summary: "also to this terminal, where there is one" },
  ],
  async run({ context, options, output, places, client }) {
    const announce = async (said: string): Promise<void> => {
      // agetty(8) would take a backslash for the beginning of one of its own words.
      const text = said.replaceAll("\\", "");
      await output.text(text);
      const issue = options.text("issue");
      if (issue !== undefined) await writeIssue(issue, text);
      const terminal = options.text("terminal");
      // A device may have no terminal, or one that takes nothing.
      if (terminal !== undefined) await writeToTerminal(terminal, text).catch(() => undefined);
    };
    const host = await context.openHost();
    const plan = await planOf(host, { places, client });
    if ("obstacle" in plan) {
      await announce(`\nSteward: steward.rescue=1 has no effect: ${escapeText(plan.obstacle)}\n\n`);
      throw new OnlyExitCode(refused);
    }
    await announce(rescueText(await writeRescueToken(places, host), plan.address));
  },
};

/**
 * The reason why no token is made; or the address of the console on the LAN, null if it is not reached there directly.
 */
async function planOf(
  { hostFile }: Pick<ExaminedHost, "hostFile">,
  { places, client }: Pick<Invocation, "places" | "client">,
): Promise<{ readonly obstacle: string } | { readonly address: string | null }> {
  // Root acts on it: a file that the agent may not read forbids as well.
  const { kernelRescue, https } = await hostFile.inForce(places.hostFile, "root");
  if (!kernelRescue) return { obstacle: `${places.hostFile} says kernel_rescue: false.` };
  // Waits for an agent that is starting.
  const { status } = await client.call("getHealth", {});
  if (status === "rescue") return { obstacle: damaged };
  const name = hostname().replace(/\.local$/, "");
  return { address: https.enabled ? `https://${name}.local:${https.port}` : null };
}

const damaged = "the state of the agent is damaged; as root, `steward doctor` says how it is repaired.";

/** Only for root, as agetty(8) is: another user of the device would become an administrator with the token. */
async function writeIssue(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  // One of an earlier token, with another mode.
  await rm(path, { force: true });
  await writeFile(path, text, { mode: 0o600 });
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
