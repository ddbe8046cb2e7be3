import type { User } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { describeFailure, exitCodeOf } from "../../terminal/failure.ts";
import type { Invocation } from "../client/command.ts";
import type { Client } from "../client/context.ts";
import { askNewPassword } from "./new-password.ts";
import type { Questions } from "./questions.ts";

const newPasswordTries = 3;

export interface Entered {
  /** As the sign-in found them. */
  user: User;
  password: string;
  questions: Questions;
}

/**
 * The password that is good from now on. A one-use password is spent by signing in: its user would be shut out if the
 * session ended before they chose one, so they are asked for it here. Throws CommandError(4) when none was chosen.
 */
export async function ownPassword(
  { program, output }: Pick<Invocation, "program" | "output">,
  client: Client,
  { questions, user, password }: Entered,
): Promise<string> {
  const { username, must_change_password } = user;
  if (!must_change_password) return password;
  if (!questions.isPerson) throw spent(username);
  await output.remark(`The one-use password of ${username} is used up now. Choose your own.`);
  for (let triesLeft = newPasswordTries; triesLeft > 0; triesLeft -= 1) {
    try {
      const chosen = await askNewPassword(questions.ask);
      await client.call("changePassword", { body: { current_password: password, new_password: chosen } });
      return chosen;
    } catch (error) {
      // 6: what was typed is no good, which can be mended.
      await output.remark(describeFailure(program, error));
      if (exitCodeOf(error) !== 6) break;
    }
  }
  throw spent(username);
}

function spent(username: string): CommandError {
  return new CommandError(
    4,
    `The one-use password of ${username} is used up now. An administrator can set another: steward user passwd ${username}.`,
  );
}
