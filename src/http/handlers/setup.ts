import { withThrottle } from "../../accounts/throttle/with-throttle.ts";
import { StewardError } from "../../contract/errors.ts";
import type { User } from "../../contract/types.ts";
import { type Call, type Caller, type Handlers, judged } from "../call.ts";
import type { AccountRooms } from "./account-rooms.ts";
import { endAccess } from "./users.ts";

/** Makes the first administrator; with a token that only the device shows, another one, or one's new password. */
export function createSetupHandlers(options: AccountRooms) {
  const { accounts, rescueToken } = options;
  return {
    getSetup: () => ({ setup_required: !accounts.hasAdministrator() }),
    setUp: judged(
      async (call: Call<"setUp">) => {
        const user = await (accounts.hasAdministrator() ? setUpAgain : setUpFirst)(options, call);
        options.setUpNow.put(user.id, true);
        return user;
      },
      async () => {
        if (!accounts.hasAdministrator() || (await rescueToken.isOpen())) return;
        throw new StewardError(
          "setup_already_done",
          "This device has an administrator already. Sign in instead; if no administrator can, `man steward-rescue` on the device says what to do.",
        );
      },
    ),
  } satisfies Partial<Handlers>;
}

export type FirstRun = Pick<AccountRooms, "accounts" | "throttle" | "setupToken">;

/**
 * Throws unless the caller is local root, or this device has no administrator yet and the request has the setup token:
 * `setup_already_done`, `setup_token_invalid`, `too_many_attempts`.
 */
export async function requireFirstRun(firstRun: FirstRun, call: Caller): Promise<void> {
  if (call.actor.kind === "local-root") return;
  if (firstRun.accounts.hasAdministrator())
    throw new StewardError(
      "setup_already_done",
      "This device has an administrator already, so only root restores a backup: `steward restore FILE` on the device.",
    );
  if (!(await firstRun.setupToken.isRight(call.setupToken ?? "")))
    await refuse(firstRun, call, firstRun.setupToken.withholding() ?? wrongSetupToken);
}

async function setUpFirst(options: AccountRooms, call: Call<"setUp">): Promise<User> {
  const { accounts, setupToken, rescueToken } = options;
  const { setup_token, password, ...named } = call.body;
  const make = async (): Promise<User> => {
    const user = await accounts.createFirst(named, { plain: password, clientKey: call.context.clientKey });
    noteOwn(call, user);
    await setupToken.remove();
    return user;
  };
  if (await setupToken.isRight(setup_token)) return make();
  return (
    (await rescueToken.use(setup_token, make)) ??
    refuse(options, call, setupToken.withholding() ?? wrongSetupToken)
  );
}

async function setUpAgain(options: AccountRooms, call: Call<"setUp">): Promise<User> {
  const { setup_token } = call.body;
  const done = await options.rescueToken.use(setup_token, () => letIn(options, call));
  return done ?? refuse(options, call, wrongRescueToken);
}

/** Makes another administrator, or sets other credentials for one. */
async function letIn(options: AccountRooms, call: Call<"setUp">): Promise<User> {
  const { accounts } = options;
  const { setup_token: _, ...made } = call.body;
  const { username, password } = made;
  const { clientKey } = call.context;
  const present = accounts.findByName(username);
  if (present?.role !== "admin") {
    // Refuses the name of a user who is no administrator.
    const { user } = await accounts.create({ ...made, role: "admin" }, clientKey);
    noteOwn(call, user, { is_new: true });
    return user;
  }
  const { user } = await accounts.rescue(present.id, password, clientKey, "local-root");
  noteOwn(call, user, { is_new: false });
  const { tokens_ended } = await endAccess(options, user);
  noteOwn(call, user, { is_new: false, tokens_ended });
  return accounts.asNow(user);
}

/**
 * The right token is accepted however often strangers have guessed: its bits need no delay, and its owner must get in.
 */
export function refuse(
  { throttle }: Pick<FirstRun, "throttle">,
  { context }: Pick<Caller, "context">,
  why: string,
): Promise<never> {
  return withThrottle(throttle, { name: null }, context, async () => {
    throw new StewardError("setup_token_invalid", why);
  });
}

const wrongSetupToken =
  "The setup token is wrong. `steward setup-token` on the device prints it; each start of the agent makes a new one, and so does `steward setup-token --new`.";

export const wrongRescueToken =
  "The setup token is wrong. The device shows it on its first terminal; `steward setup-token --rescue` makes a new one.";

/**
 * From here on the user is known, and the event is theirs. `rescue`: the effect of a token from the device's terminal.
 */
function noteOwn({ note }: Call<"setUp">, user: User, rescue?: object): void {
  const subject = { id: user.id, name: user.username };
  const actor = { kind: "user" as const, ...subject };
  note(
    rescue === undefined
      ? { actor, subject }
      : { actor, subject, type: "setup.rescued", details: { ...rescue } },
  );
}
