import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemErrorCode } from "../../contract/errors.ts";
import { CommandError } from "../client/context.ts";
import { fileFailure } from "../client/failure.ts";
import { requireLocal } from "../client/places.ts";
import type { Command } from "../framework/command.ts";

/** 128 bits, as the agent makes them: not to be guessed. */
const tokenBytes = 16;

/** The agent takes no longer one. */
const mostFileBytes = 128;

export const setupToken: Command = {
  path: ["setup-token"],
  summary: "Show the one-time token that creates the first administrator",
  positionals: [],
  options: [{ name: "new", summary: "make a new token; the old one becomes invalid" }],
  async run({ options, places, output, client }) {
    requireLocal(places, "setup-token");
    // A token is good only with the agent that made it: of one that has ended, the file may still lie there.
    const { status } = await client.call("getHealth", {});
    if (status === "rescue") {
      throw new CommandError(
        5,
        "The agent is in rescue and accepts no setup token until its state is repaired.",
      );
    }
    const path = join(places.runDirectory, "setup-token");
    try {
      const token = options.has("new") ? await replaceToken(path) : await readToken(path);
      await output.value({ setup_token: token }, token);
    } catch (error) {
      if (systemErrorCode(error) === "ENOENT") throw absent(path);
      throw error instanceof CommandError ? error : fileFailure(error, path);
    }
  },
};

async function readToken(path: string): Promise<string> {
  // Root reads in a directory of the service's user: a link there must not lead elsewhere, nor a pipe keep it waiting.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostFileBytes + 1));
    const token = buffer.toString("utf8", 0, bytesRead).trim();
    if (bytesRead <= mostFileBytes && /^[\x21-\x7e]+$/.test(token)) return token;
    throw new CommandError(1, `${path} holds no setup token. Make a new one: steward setup-token --new`);
  } finally {
    await file.close();
  }
}

/** Writes beside and renames: a reader sees either the old token or the new one, complete. */
async function replaceToken(path: string): Promise<string> {
  const present = await lstat(path);
  const token = randomBytes(tokenBytes).toString("base64url");
  const beside = `${path}.${randomBytes(8).toString("hex")}`;
  const file = await open(beside, "wx", 0o600);
  try {
    // Written by root it would be closed to the agent, which reads it at each try.
    await file.chown(present.uid, present.gid);
    await file.writeFile(`${token}\n`);
    await file.close();
    await rename(beside, path);
  } catch (error) {
    await file.close();
    await rm(beside, { force: true });
    throw error;
  }
  return token;
}

function absent(path: string): CommandError {
  return new CommandError(
    3,
    `There is no setup token (${path}), because setup is done. Administrators add further users.`,
  );
}
