import { qrTerminal } from "../../accounts/second-factor/qr.ts";
import { StewardError } from "../../contract/errors.ts";
import type { Output as Answer, Enrolment, ProblemClock } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Option } from "../../terminal/commands/command.ts";
import { escapeText } from "../../terminal/escape.ts";
import type { Output } from "../../terminal/output.ts";
import { confirm } from "../../terminal/prompt.ts";
import type { Command, Invocation } from "../client/command.ts";
import { asUser, type OwnSession } from "./as-user.ts";
import { answersOption } from "./questions.ts";

const clockOption: Option = {
  name: "allow-unsynchronised-clock",
  summary: "continue even if the device's clock, which codes depend on, is not trusted",
};

const setUp: Command = {
  ...own("setup", "Set up a second factor: show the QR code, then enable it with a first code", doSetUp),
  options: [
    { name: "begin", summary: "stop after showing the secret; finish with `user 2fa enable`" },
    clockOption,
    answersOption,
  ],
};

const enable: Command = {
  ...own("enable", "Finish the setup with a first code; prints the recovery codes", enableTwoFactor),
  options: [
    clockOption,
    answersOption,
    { name: "code-stdin", summary: "with --token-file: take the code from standard input" },
  ],
};

const disable: Command = own(
  "disable",
  "Switch off NAME's second factor, with password and code",
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
    `Nothing has changed yet. A first code enables it; until ${enrolment.expires_at} you can also type: steward user 2fa enable ${user.username}`,
  );
  if (!invocation.options.has("begin")) await enableTwoFactor(invocation, session);
}

/** Shows the secret: as a picture for the authenticator's camera, and in groups of four for typing. */
async function showEnrolment({ options, context, output }: Invocation, enrolment: Enrolment): Promise<void> {
  if (options.text("output") === "json") return output.document(enrolment);
  // https://no-color.org: any value but an empty one.
  const isPlain = !context.stdout.isTTY || Boolean(context.environment.NO_COLOR);
  const picture = await qrTerminal(enrolment.otpauth_uri, { hasColour: !isPlain });
  const groups = escapeText(enrolment.secret.replace(/.{4}(?!$)/g, "$& "));
  await output.text(`${picture.join("\n")}\n\n${groups}\n`);
}

async function enableTwoFactor(invocation: Invocation, session: OwnSession): Promise<void> {
  const code = await session.questions.ask("First code from the authenticator: ");
  const enabled = await enableWith(invocation, session, code);
  await invocation.output.remark(
    `The second factor of ${session.user.username} is enabled, and other sessions have ended.`,
  );
  await showRecoveryCodes(invocation.output, enabled);
}

/** One a line on standard output, so that they can be kept in a file. */
async function showRecoveryCodes(
  output: Output,
  document: { recovery_codes: readonly string[] },
): Promise<void> {
  await output.values(document, document.recovery_codes);
  await output.remark(
    "These recovery codes are shown only once. Each works once in place of a code: keep them apart from the authenticator.",
  );
}

async function enableWith(
  invocation: Invocation,
  { client, user }: OwnSession,
  code: string,
): Promise<Answer<"enableTwoFactor">> {
  const enable = (mayTrustClock: boolean) =>
    client.call("enableTwoFactor", {
      params: { id: user.id },
      body: { code, ...(mayTrustClock && { allow_unsynchronised_clock: true }) },
    });
  const isSure = invocation.options.has("allow-unsynchronised-clock") || invocation.options.has("yes");
  try {
    return await enable(isSure);
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "clock_not_synchronised") throw error;
    const { clock } = error.details;
    if (!invocation.context.stdin.isTTY || clock === undefined) throw error;
    if (await isClockRight(invocation, clock)) return enable(true);
    throw new CommandError(
      9,
      "Set the device's clock first: with a wrong clock no code would work later. Nothing was changed.",
    );
  }
}

/** Codes depend on the device's clock, which is not trusted: the user can compare it with a watch. */
async function isClockRight(
  { places, context, output }: Invocation,
  { server_time }: ProblemClock,
): Promise<boolean> {
  const comparison =
    places.url === undefined
      ? "This machine is the device, so compare with a watch."
      : `This machine says it is ${new Date().toISOString()}.`;
  await output.remark(`Codes depend on the device's clock, and the clock is not trusted. ${comparison}`);
  return confirm(context, `The device says it is ${server_time}. Is that right?`);
}
