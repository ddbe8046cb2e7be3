import { codeFaults } from "../../accounts/second-factor/code-texts.ts";
import { refuseFaults, StewardError } from "../../contract/errors.ts";
import { admins } from "../../contract/operations/operation.ts";
import type { User } from "../../contract/types.ts";
import { authorise } from "../authorise.ts";
import { type Call, type Handlers, personOf } from "../call.ts";
import type { AccountRooms } from "./account-rooms.ts";
import { noteSignIn, noteTried, roleOf } from "./auth.ts";

export function createTwoFactorHandlers(options: AccountRooms) {
  const { enrolment } = options;
  return {
    getTwoFactor: ({ params }) => enrolment.status(params.id),
    setUpTwoFactor: ({ actor }) => enrolment.setUp(personOf(actor)),
    enableTwoFactor: async ({ actor, body, context, note }) => {
      note(roleOf(actor));
      refuseFaults(codeFaults(body));
      const mayTrustClock = body.allow_unsynchronised_clock === true;
      return enrolment.enable(personOf(actor), body.code, mayTrustClock, context);
    },
    disableTwoFactor: ({ actor, body, context, note }) => {
      note(roleOf(actor));
      refuseFaults(codeFaults(body));
      return enrolment.disable(personOf(actor), body, context);
    },
    recoverTwoFactor: (call) => recover(options, call),
    makeRecoveryCodes: async ({ actor, note }) => {
      note(roleOf(actor));
      return { recovery_codes: await enrolment.renewRecoveryCodes(personOf(actor)) };
    },
  } satisfies Partial<Handlers>;
}

/** Removes it by password and recovery code, without a session; or by an administrator, who gives a reason. */
async function recover(
  { accounts, apiTokens, enrolment, recovery }: AccountRooms,
  { params, body, actor, context, note }: Call<"recoverTwoFactor">,
) {
  const { password, recovery_code, reason, keep_tokens } = body;
  refuseFaults(codeFaults(body));
  if (password !== undefined && recovery_code !== undefined) {
    noteTried(recovery.accountOf(params.id), note);
    const recovered = await recovery.recover(params.id, { password, recovery_code, keep_tokens }, context);
    const { ended } = recovered;
    const session = noteSignIn(recovered, note, { role: recovered.session.user.role, ...ended });
    return { ...session, tokens_ended: ended.tokens_ended };
  }
  authorise({ access: admins, stepUp: true }, actor, params);
  const { id, role, two_factor } = accounts.get(recovery.accountOf(params.id)?.id ?? params.id);
  if (!two_factor.enabled) {
    throw new StewardError(
      "two_factor_not_enabled",
      "This user has no second factor. Nothing was changed, and no session was ended.",
    );
  }
  const user: User = await enrolment.remove(id);
  const ended = await apiTokens.endAll(id, keep_tokens);
  note({ subject: { id, name: user.username }, details: { role, reason: reason ?? "", ...ended } });
  return { ...accounts.asNow(user), tokens_ended: ended.tokens_ended };
}
