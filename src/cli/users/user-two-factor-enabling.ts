import { qrTerminal } from "../../accounts/second-factor/qr.ts";
import { StewardError } from "../../contract/errors.ts";
import type { Output as Answer, Enrolment, ProblemClock } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import type { Output } from "../../terminal/output.ts";
import { confirm } from "../../terminal/prompt.ts";
import type { Invocation } from "../client/command.ts";
import type { OwnSession } from "./as-user.ts";

/** Shows the secret: as a picture for the authenticator's camera, and in groups of four for typing. */
export async function showEnrolment(
  { options, context, output }: Invocation,
  enrolment: Enrolment,
): Promise<void> {
  if (options.text("output") === "json") return output.document(enrolment);
  // https://no-color.org: any value but an empty one.
  const isPlain = !context.stdout.isTTY || Boolean(context.environment.NO_COLOR);
  const picture = await qrTerminal(enrolment.otpauth_uri, { hasColour: !isPlain });
  const groups = escapeText(enrolment.secret.replace(/.{4}(?!$)/g, "$& "));
  await output.text(`${picture.join("\n")}\n\n${groups}\n`);
}

/** Asks for a first code, enables, and shows the recovery codes. */
export async function enableTwoFactor(invocation: Invocation, session: OwnSession): Promise<void> {
  const code = await session.questions.ask("First code from the authenticator: ");
  const enabled = await enableWith(invocation, session, code);
  await invocation.output.remark(
    `The second factor of ${session.user.username} is enabled, and other sessions have ended.`,
  );
  await showRecoveryCodes(invocation.output, enabled);
}

/** One a line on standard output, so that they can be kept in a file. */
export async function showRecoveryCodes(
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
