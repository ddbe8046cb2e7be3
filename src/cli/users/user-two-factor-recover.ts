import type { Output, Session } from "../../contract/types.ts";
import { createHttpClient } from "../client/client.ts";
import type { Command } from "../client/command.ts";
import { requireSecrecy } from "../client/places.ts";
import { inSession, waitingClient } from "./as-user.ts";
import { ownPassword } from "./own-password.ts";
import { answersOption, createQuestions } from "./questions.ts";
import { keepTokensOption, keptTokens, tokensSentence } from "./user-command.ts";

/** The way back in for users who lost their authenticator and kept the recovery codes. */
export const recover: Command = {
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
