import { CommandError } from "../../terminal/command-error.ts";
import type { Option } from "../../terminal/commands/command.ts";
import type { Command, Invocation } from "../client/command.ts";
import { asUser, type OwnSession } from "./as-user.ts";
import { answersOption } from "./questions.ts";
import { enableTwoFactor, showEnrolment, showRecoveryCodes } from "./user-two-factor-enabling.ts";

const clockOption: Option = {
  name: "allow-unsynchronised-clock",
  summary: "go on although the device's clock, by which codes are checked, is not trusted",
};

const setUp: Command = {
  ...own("setup", "Set up an authenticator: draw the QR code, then enable with a first code", doSetUp),
  options: [
    { name: "begin", summary: "end when the secret is shown; finish with `user 2fa enable`" },
    clockOption,
    answersOption,
  ],
};

const enable: Command = {
  ...own("enable", "Finish a setup with a first code; prints the recovery codes", enableTwoFactor),
  options: [
    clockOption,
    answersOption,
    { name: "code-stdin", summary: "with --token-file: take the code from standard input" },
  ],
};

const disable: Command = own(
  "disable",
  "Switch one's own second factor off, with password and code",
  async ({ output }, { client, user, prove }) => {
    const changed = await client.call("disableTwoFactor", { params: { id: user.id }, body: await prove() });
    await output.changed(changed, `The second factor of ${user.username} is off; other sessions are ended.`);
  },
);

const renewCodes: Command = own(
  "recovery-codes",
  "Make new recovery codes; the old ones stop working",
  async ({ output }, { client, user }) => {
    const codes = await client.call("makeRecoveryCodes", { params: { id: user.id } });
    await showRecoveryCodes(output, codes);
  },
);

/** Commands that users run with their own password: not even local root can run them for others. */
export const ownTwoFactorCommands: readonly Command[] = [setUp, enable, disable, renewCodes];

/** A command `user 2fa VERB NAME` that only NAME can run. */
function own(
  verb: string,
  summary: string,
  act: (invocation: Invocation, session: OwnSession) => Promise<void>,
): Command {
  return {
    path: ["user", "2fa", verb],
    summary: `${summary} (asks for NAME's password)`,
    positionals: [{ name: "NAME", live: "users" }],
    options: [answersOption],
    run: async (invocation) => {
      const { positionals, options, places } = invocation;
      if (options.has("code-stdin") && !options.has("password-stdin") && places.tokenFile === undefined) {
        throw new CommandError(
          2,
          "--code-stdin is for --token-file. Without a token file give --password-stdin, and password and code on one line each.",
        );
      }
      await asUser(invocation, positionals[0] ?? "", (session) => act(invocation, session));
    },
  };
}

async function doSetUp(invocation: Invocation, session: OwnSession): Promise<void> {
  const { client, user } = session;
  if (user.two_factor.enabled) {
    throw new CommandError(
      5,
      `User "${user.username}" has a second factor. Disable it first to set up another authenticator.`,
    );
  }
  const enrolment = await client.call("setUpTwoFactor", { params: { id: user.id } });
  await showEnrolment(invocation, enrolment);
  await invocation.output.remark(
    `Nothing has changed yet. A first code enables it, until ${enrolment.expires_at} also with: steward user 2fa enable ${user.username}`,
  );
  if (!invocation.options.has("begin")) await enableTwoFactor(invocation, session);
}
