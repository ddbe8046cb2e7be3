import { randomBytes } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../../contract/errors.ts";
import { NotRegular, readRegular } from "../../store/files/regular-file.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { fileFailure } from "../../terminal/failure.ts";
import type { Command, Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";
import { rescueRemark, writeForAgent, writeRescueToken } from "./rescue-token.ts";

/** 128 bits, as the agent makes them: not to be guessed. */
const tokenBytes = 16;

/** The agent takes no longer one. */
const mostFileBytes = 128;

export const setupToken: Command = {
  path: ["setup-token"],
  summary: "Show the one-time token that creates the first administrator",
  options: [
    { name: "new", excludes: "rescue", summary: "make a new token; the old one becomes invalid" },
    {
      name: "rescue",
      excludes: "new",
      summary:
        "make a token, valid for 30 minutes, with which the console creates an administrator or sets an administrator's password, even after setup",
    },
  ],
  async run({ options, places, context, output, client }) {
    requireLocal(places, "setup-token");
    // A token is valid only with the agent that made it: the file of an agent that has ended may still be there.
    const { status } = await client.call("getHealth", {});
    if (status === "rescue") {
      throw new CommandError(
        5,
        "The agent is in rescue and accepts no setup token until its state is repaired.",
      );
    }
    const path = join(places.runDirectory, "setup-token");
    try {
      if (options.has("rescue")) {
        const token = await writeRescueToken(places, await context.openHost());
        await output.value({ setup_token: token }, token);
        return output.remark(rescueRemark);
      }
      const token = options.has("new") ? await replaceToken(path) : await readToken(path);
      await output.value({ setup_token: token }, token);
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") throw await absent(path, client);
      throw error instanceof CommandError ? error : fileFailure(error, path);
    }
  },
};

async function readToken(path: string): Promise<string> {
  // Root reads in a directory of the service's user.
  const bytes = await readRegular(path, mostFileBytes).catch((error: unknown) => {
    if (error instanceof NotRegular) return null;
    throw error;
  });
  const token = bytes?.toString("utf8").trim() ?? "";
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new CommandError(1, `${path} holds no setup token. Make a new one: steward setup-token --new`);
}

async function absent(path: string, client: Invocation["client"]): Promise<CommandError> {
  const { needs } = await client.call("getStatus", {});
  const lost = needs.find(({ code }) => code === "credentials");
  if (lost !== undefined && needs.some(({ code }) => code === "setup_required"))
    return new CommandError(
      3,
      escapeText(
        `There is no setup token: ${lost.detail} \`steward user add NAME --role admin\` makes another administrator; as root, this hands it over: ${lost.remedy?.line}`,
      ),
    );
  return new CommandError(
    3,
    `There is no setup token (${path}), because setup is done. Administrators add further users; if no administrator can sign in: steward setup-token --rescue`,
  );
}

async function replaceToken(path: string): Promise<string> {
  const present = await lstat(path);
  const token = randomBytes(tokenBytes).toString("base64url");
  await writeForAgent(path, `${token}\n`, present);
  return token;
}
