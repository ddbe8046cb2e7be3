import type { Output, Session, TwoFactor, User } from "../../contract/types.ts";
import { CommandError, UsageError } from "../../terminal/command-error.ts";
import { agreesTo, dryRunOption } from "../../terminal/commands/consent.ts";
import { createHttpClient } from "../client/client.ts";
import type { Command } from "../client/command.ts";
import { requireSecrecy } from "../client/places.ts";
import { inSession, waitingClient } from "./as-user.ts";
import { ownPassword } from "./own-password.ts";
import { answersOption, createQuestions } from "./questions.ts";
import { keepTokensOption, keptTokens, onUser, tokensSentence } from "./user-command.ts";
import { findUser } from "./user-lookup.ts";
import { ownTwoFactorCommands } from "./user-two-factor-own.ts";
import { describeLock } from "./user-view.ts";

/** The way back in for users who lost their authenticator and kept the recovery codes. */
const recover: Command = {
  path: ["user", "2fa", "recover"],
  summary: "Remove a lost second factor, with NAME's password and a recovery code",
  positionals: [{ name: "NAME", live: "users" }],
  options: [keepTokensOption, answersOption],
  async run(invocation) {
    const { places, positionals, options, output } = invocation;
    const [name = ""] = positionals;
    requireSecrecy(places, "the password");
    const questions = createQuestions(invocation);
    try {
      const password = await questions.ask(`Password of ${name}: `);
      const recovery_code = await questions.ask(`Recovery code of ${name}: `);
      const answer = await waitingClient(invocation).call("recoverTwoFactor", {
        params: { id: name },
        body: { password, recovery_code, ...keptTokens(options) },
      });
      const { tokens_ended } = answer;
      const user = isSession(answer) ? answer.user : answer;
      const remark = offRemark(name, tokensSentence({ ...user, tokens_ended }, options));
      if (!isSession(answer)) return await output.changed(answer, remark);
      await inSession(invocation, answer, async () => {
        await output.changed(answer.user, remark);
        const client = createHttpClient(places, { accessToken: answer.access_token });
        await ownPassword(invocation, client, { user: answer.user, password, questions });
      });
    } finally {
      questions.close();
    }
  },
};

type Recovered = Output<"recoverTwoFactor">;

function isSession(answer: Recovered): answer is Extract<Recovered, Session> {
  return "session" in answer;
}

function offRemark(name: string, tokens: string): string {
  return `The second factor of ${name} is off: the password is enough to sign in, all sessions are ended, and the other recovery codes no longer work. ${tokens} Set up another authenticator with: steward user 2fa setup ${name}`;
}

type RecoveredUser = Extract<Output<"recoverTwoFactor">, User>;

const status = onUser(
  "2fa status",
  "Show whether a user has a second factor, and how many recovery codes they have left",
  async ({ client, output }, name) => {
    const { id } = await findUser(client, name);
    const twoFactor: TwoFactor = await client.call("getTwoFactor", { params: { id } });
    await output.fields(twoFactor, [
      ["enabled", twoFactor.enabled],
      ["since", twoFactor.enrolled_at],
      ["recovery codes left", twoFactor.recovery_codes_remaining],
      ["passkeys", twoFactor.passkeys.map(({ name, host }) => `${name} (${host})`).join(", ") || "none"],
      ["locked", describeLock(twoFactor)],
    ]);
  },
);

const reset: Command = {
  path: ["user", "2fa", "reset"],
  summary: "Remove the second factor of a user who lost it, and end their sessions and API tokens",
  positionals: [{ name: "NAME", live: "users" }],
  options: [
    {
      name: "reason",
      value: "TEXT",
      summary: "why, and how the user's identity was checked; it is recorded",
    },
    keepTokensOption,
    dryRunOption,
  ],
  worksOffline: true,
  async run(invocation) {
    const { positionals, options, client, output } = invocation;
    const [name = ""] = positionals;
    const reason = options.text("reason");
    if (!reason) throw new UsageError("--reason is missing, and is recorded.");
    const { id, two_factor } = await findUser(client, name);
    if (!two_factor.enabled) {
      throw new CommandError(5, `User "${name}" has no second factor; nothing was changed.`);
    }
    const says = [
      `User ${name} loses the second factor and its recovery codes; all sessions end${options.has("keep-tokens") ? "" : ", and all API tokens"}.`,
      `To come back, ${name} signs in with only the password, and then: steward user 2fa setup ${name}`,
    ];
    const question = `Let ${name} sign in with only the password, and end all sessions?`;
    if (!(await agreesTo(invocation, { says, question }))) return;
    // An administrator's removal returns the user; only a password and a recovery code give a session.
    const body = { reason, ...keptTokens(options) };
    const user = (await client.call("recoverTwoFactor", { params: { id }, body })) as RecoveredUser;
    const now = `The second factor of ${name} is off; the sessions are ended.`;
    await output.changed(user, `${now} ${tokensSentence(user, options)}`);
  },
};

export const twoFactorCommands: readonly Command[] = [status, ...ownTwoFactorCommands, recover, reset];
