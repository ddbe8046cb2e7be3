import { sealForDevice } from "../../accounts/second-factor/transport.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { createInputLines } from "../../terminal/input-lines.ts";
import type { Command } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";

const sealKey: Command = {
  path: ["seal-key"],
  summary: "As root: print the key that second factors for this device are sealed to",
  worksOffline: true,
  async run({ places, client, output }) {
    requireLocal(places, "seal-key");
    const answer = await client.call("getSealKey", {});
    await output.value(answer, answer.public_key);
  },
};

/** On the desk where the file is written: no device is asked. */
const seal: Command = {
  path: ["seal"],
  summary:
    "Seal a TOTP secret for one user of one device, for `steward apply`; the secret comes on standard input",
  examples: [
    {
      line: "steward seal --to KEY --user ada < secret.txt",
      what: "KEY is what `steward seal-key` prints on the device; the secret is base32, or an otpauth URI",
    },
  ],
  options: [
    { name: "to", value: "KEY", summary: "the device's key" },
    { name: "user", value: "NAME", summary: "the user's name; the secret works for no other user" },
  ],
  isWithoutAgent: true,
  async run({ options, context, output }) {
    const [key, user] = [options.text("to"), options.text("user")];
    if (!key || !user)
      throw new CommandError(2, "Give the device's key and the user's name: --to KEY --user NAME.");
    const { stdin } = context;
    if (stdin.isTTY)
      throw new CommandError(
        2,
        "The terminal would show the secret. Give it on standard input, from a file or a program.",
      );
    const lines = createInputLines(stdin);
    try {
      const sealed = await sealForDevice((await lines.next()) ?? "", user, key);
      await output.value({ sealed }, sealed);
    } finally {
      lines.close();
    }
  },
};

export const sealCommands: readonly Command[] = [sealKey, seal];
