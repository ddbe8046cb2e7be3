import { refuseUnseenEnds } from "../../accounts/users/password-rules.ts";
import { hashPassword } from "../../accounts/users/passwords.ts";
import type { Command } from "../client/command.ts";
import { newPasswordOptions, readNewPassword } from "../users/new-password.ts";

/**
 * Characters below which the rules of a device refuse a password without a second factor (NIST SP 800-63B-4 §3.1.1.2).
 */
const usualCharacters = 15;

export const hashPasswordCommand: Command = {
  path: ["hash-password"],
  summary: "Print the argon2id hash of a password, for `steward apply` and /etc/steward/first-admin.json",
  examples: [
    {
      line: "pwgen -s 20 1 | steward hash-password --password-stdin",
      what: "without a terminal; otherwise it is asked for twice, and not shown",
    },
  ],
  options: newPasswordOptions
    .filter(({ name }) => name === "password-stdin")
    .map(({ excludes: _, ...one }) => one),
  isWithoutAgent: true,
  async run(invocation) {
    const password = (await readNewPassword(invocation)) ?? "";
    refuseUnseenEnds(password);
    const password_hash = await hashPassword(password);
    await invocation.output.value({ password_hash }, password_hash);
    if ([...password].length < usualCharacters)
      await invocation.output.remark(
        `The password has fewer than ${usualCharacters} characters: a device would refuse it where its users choose one, but it cannot see that in a hash.`,
      );
  },
};
