import type { Output, User } from "../../contract/types.ts";
import { whereGiven } from "../../terminal/commands/command.ts";
import { agreesTo, dryRunOption } from "../../terminal/commands/consent.ts";
import type { Command, Invocation } from "../client/command.ts";
import { newPasswordOptions, readNewPassword } from "./new-password.ts";
import {
  displayNameOption,
  keepTokensOption,
  keptTokens,
  onUser,
  readRole,
  roleOption,
  tokensSentence,
} from "./user-command.ts";
import { findUser } from "./user-lookup.ts";
import { countTokens, describeLock } from "./user-view.ts";

export const addUser: Command = {
  ...onUser("add", "Add a user", async (invocation, username) => {
    const { options, client } = invocation;
    const password = await readNewPassword(invocation);
    const user = await client.call("createUser", {
      body: {
        username,
        role: readRole(options) ?? "readonly",
        enabled: !options.has("disabled"),
        ...whereGiven({ display_name: options.text("display-name"), password }),
      },
    });
    await reportPassword(invocation, user, `User ${username} is added with the role ${user.role}.`);
  }),
  positionals: [{ name: "NAME" }],
  examples: [
    { line: "steward user add anna --role operator", what: "asks for a password, twice" },
    { line: "steward user add log-reader --generate", what: "prints a one-use password" },
  ],
  options: [
    roleOption,
    displayNameOption,
    ...newPasswordOptions,
    { name: "disabled", summary: "the user cannot sign in until enabled" },
  ],
};

export const resetUserPassword: Command = {
  ...onUser(
    "passwd",
    "Set a user's password, and end the sessions and API tokens",
    async (invocation, name) => {
      const { client, options } = invocation;
      const { id } = await findUser(client, name);
      const password = await readNewPassword(invocation);
      const body = { ...whereGiven({ password }), ...keptTokens(options) };
      const user = await client.call("resetPassword", { params: { id }, body });
      const now = `The password of ${name} is changed; the sessions are ended.`;
      await reportPassword(invocation, user, `${now} ${tokensSentence(user, options)}`);
    },
  ),
  options: [...newPasswordOptions, keepTokensOption],
};

export const rescueUser: Command = {
  ...onUser(
    "rescue",
    "Let a locked-out user in again: say why they are, enable, unlock, remove the second factor, set a one-use password",
    async (invocation, name) => {
      const { client, options, output } = invocation;
      const user = await findUser(client, name);
      await output.remark(`These may keep ${name} from signing in: ${obstaclesOf(user)}.`);
      const question = `Rescue ${name}, who then signs in with only a one-use password?`;
      if (!(await agreesTo(invocation, { says: rescueOf(user, options.has("keep-tokens")), question })))
        return;
      const rescued = await client.call("rescueUser", { params: { id: user.id }, body: keptTokens(options) });
      const now = `User ${name} is enabled, not locked and has no second factor; the sessions are ended.`;
      await reportPassword(invocation, rescued, `${now} ${tokensSentence(rescued, options)}`);
      if (rescued.held_in_memory) await output.remark(heldInMemory);
    },
  ),
  examples: [
    {
      line: "steward user rescue anna --dry-run",
      what: "why the user cannot sign in, and what rescue would do",
    },
    { line: "steward user rescue anna", what: "asks, then prints a one-use password" },
  ],
  options: [keepTokensOption, dryRunOption],
};

function rescueOf({ username, enabled, locked, two_factor, tokens }: User, areKept: boolean): string[] {
  const steps = [
    ...(enabled ? [] : ["is enabled"]),
    ...(locked === null ? [] : ["is unlocked"]),
    ...(two_factor.enabled ? ["loses the second factor"] : []),
    "gets a one-use password in place of the current one",
  ];
  return [
    `User ${username} ${steps.join(", ")}; all sessions end${areKept || tokens === 0 ? "" : `, and ${countTokens(tokens)}`}.`,
    `To come back, ${username} signs in with the one-use password, chooses a new one${two_factor.enabled ? ", and sets up an authenticator again" : ""}.`,
  ];
}

const heldInMemory =
  "The disk cannot be written, so this is only in memory, and so are the password and the second factor that the user then chooses. " +
  "They last until the agent ends, and are written when the disk can be written. If the agent ends before that, rescue the user again.";

function obstaclesOf(user: User): string {
  const obstacles = [
    ...(user.two_factor.sealing_key === "missing"
      ? ["codes cannot be checked, as the key that the second factor was sealed with is not on this device"]
      : []),
    ...(user.enabled ? [] : ["the user is disabled"]),
    ...(user.locked === null ? [] : [`locked: ${describeLock(user)}`]),
    ...(user.two_factor.enabled ? ["a second factor, which may be lost"] : []),
    ...(user.must_change_password ? ["the password must be changed at the next sign-in"] : []),
  ];
  return obstacles.length === 0
    ? "nothing was found; perhaps the password is forgotten"
    : obstacles.join("; ");
}

/** A one-use password is the only text on standard output, so that it can be captured. */
async function reportPassword(
  { output }: Invocation,
  user: Output<"createUser">,
  remark: string,
): Promise<void> {
  if (user.initial_password === undefined) return output.changed(user, remark);
  await output.value(user, user.initial_password);
  await output.remark(
    `${remark} The one-use password is shown only once; the user must change it at the first sign-in.`,
  );
}
