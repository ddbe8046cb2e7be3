import { StewardError } from "../../contract/errors.ts";
import type { OperationId } from "../../contract/operations.ts";
import { asUsername } from "../../contract/text/names.ts";
import type { Input, Output, Session, User } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { AgentAbsent } from "../client/agent-connection.ts";
import { createHttpClient } from "../client/client.ts";
import type { Invocation } from "../client/command.ts";
import { untilStarted } from "../client/connect.ts";
import type { Client } from "../client/context.ts";
import { requireSecrecy } from "../client/places.ts";
import { askFactor, askProof, type Proof, withStepUp } from "../client/step-up.ts";
import { ownPassword } from "./own-password.ts";
import { createQuestions, type Questions } from "./questions.ts";
import { findUser } from "./user-lookup.ts";

/** The parts of a command that the users run for themselves. */
export interface OwnSession {
  /** Calls as the user, and steps up where the agent asks for it. */
  readonly client: Client;
  readonly user: User;
  readonly questions: Questions;
  /** The password and, where there is a second factor, a code that was not used yet. */
  prove(): Promise<Proof>;
}

type Act = (session: OwnSession) => Promise<void>;

/**
 * Does `act` as the user `name`, who gives their own password and code: local root has no right to a user's secrets.
 * The session ends with it, however it ends; the one of a token file is its owner's and stays.
 * Throws CommandError(8) when the agent is down: a sign-in takes a running agent.
 */
export async function asUser(invocation: Invocation, name: string, act: Act): Promise<void> {
  const questions = createQuestions(invocation);
  try {
    if (invocation.places.tokenFile === undefined) await signedIn(invocation, { name, questions }, act);
    else await byToken(invocation, { name, questions }, act);
  } catch (error) {
    if (!(error instanceof AgentAbsent)) throw error;
    throw new CommandError(
      8,
      `${error.message} Without the agent users cannot sign in; \`steward user rescue\` and \`steward user 2fa reset\` work without it.`,
    );
  } finally {
    questions.close();
  }
}

/** A client that waits for an agent that is starting; `tokenFile`: whose token it calls with. */
export function waitingClient({ places, output }: Invocation, tokenFile?: string): Client {
  const whenAbsent = untilStarted({ places, remark: output.remark });
  return createHttpClient({ ...places, tokenFile }, { whenAbsent });
}

interface Asked {
  name: string;
  questions: Questions;
}

async function byToken(invocation: Invocation, { name, questions }: Asked, act: Act): Promise<void> {
  const { places } = invocation;
  const plain = waitingClient(invocation, places.tokenFile);
  const user = await plain.call("getMe", {});
  if (user.username !== asUsername(name)) {
    throw new CommandError(
      4,
      `The token in ${places.tokenFile} is of "${escapeText(user.username)}". Only "${name}" can change the secrets of "${name}".`,
    );
  }
  const prove = () => askProof(questions.ask, user);
  await act({ client: withStepUp(plain, prove), user, questions, prove });
}

async function signedIn(invocation: Invocation, asked: Asked, act: Act): Promise<void> {
  const { places, context } = invocation;
  requireSecrecy(places, "the password");
  const anonymous = waitingClient(invocation);
  if (places.url === undefined) refuseOneUse(await findUser(anonymous, asked.name), asked.questions);
  const interruption = context.interruption();
  const password = await asked.questions.ask(`Password of ${asked.name}: `);
  const session = await signIn(anonymous, asked, password);
  await inSession(invocation, session, async () => {
    const client = stopping(createHttpClient(places, { accessToken: session.access_token }), interruption);
    const present = await ownPassword(invocation, client, { ...asked, user: session.user, password });
    const prove = () => freshProof(invocation, asked, session, present);
    await act({ client: withStepUp(client, prove), user: session.user, questions: asked.questions, prove });
  });
}

/** Runs `act`, and ends the session whatever comes of it. */
export async function inSession(
  { places, output }: Pick<Invocation, "places" | "output">,
  { refresh_token }: Session,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } finally {
    const anonymous = createHttpClient({ ...places, tokenFile: undefined });
    if (refresh_token !== undefined) {
      // The command's result, or its failure, matters more than this.
      await anonymous
        .call("logout", { body: { refresh_token } })
        .catch(() =>
          output.remark("The session could not be ended; it ends when it has not been used for a while."),
        );
    }
  }
}

async function signIn(anonymous: Client, { name, questions }: Asked, password: string): Promise<Session> {
  try {
    return await anonymous.call("login", { body: { username: name, password } });
  } catch (error) {
    const challenge = error instanceof StewardError ? error.details.challengeToken : undefined;
    if (challenge === undefined) throw error;
    const factor = await askFactor(questions.ask, name);
    return anonymous.call("answerChallenge", { body: { challenge_token: challenge, ...factor } });
  }
}

/** For what takes the proof once more: a code is good once, so the one that opened the session is spent. */
async function freshProof(
  { output }: Invocation,
  { name, questions }: Asked,
  session: Session,
  password: string,
): Promise<Proof> {
  if (!session.user.two_factor.enabled) return { password };
  await output.remark(
    "This needs one more code, and each code works once: wait until the authenticator shows the next one.",
  );
  return { password, ...(await askFactor(questions.ask, name, "Next code")) };
}

function refuseOneUse({ username, must_change_password }: User, { isPerson }: Questions): void {
  if (!must_change_password || isPerson) return;
  throw new CommandError(
    4,
    `${username} has a one-use password, which this sign-in would use up. Run this on a terminal, where you can choose a new one.`,
  );
}

/** After Ctrl-C nothing new begins; a request under way is completed, so that a secret that is shown once is not lost. */
function stopping(client: Client, interruption: AbortSignal): Client {
  return {
    ...client,
    async call<Id extends OperationId>(id: Id, input: Partial<Input<Id>>): Promise<Output<Id>> {
      if (interruption.aborted) throw new CommandError(130, "Interrupted.");
      return client.call(id, input);
    },
  };
}
