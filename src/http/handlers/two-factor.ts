import type { Enrolment } from "../../auth/enrolment.ts";
import type { Recovery } from "../../auth/recovery.ts";
import { admins } from "../../contract/operation.ts";
import type { User } from "../../contract/types.ts";
import { StewardError } from "../../errors.ts";
import type { Accounts } from "../../users/accounts.ts";
import { authorise } from "../authorise.ts";
import { type Call, type Handlers, personOf } from "../call.ts";
import { delivered } from "./auth.ts";

type TwoFactorHandlers = Pick<
  Handlers,
  | "getTwoFactor"
  | "setUpTwoFactor"
  | "enableTwoFactor"
  | "disableTwoFactor"
  | "recoverTwoFactor"
  | "makeRecoveryCodes"
>;

export interface TwoFactorHandlersOptions {
  accounts: Accounts;
  enrolment: Enrolment;
  recovery: Recovery;
}

/** The second factor of an account. */
export function createTwoFactorHandlers(options: TwoFactorHandlersOptions): TwoFactorHandlers {
  const { enrolment } = options;
  return {
    getTwoFactor: ({ params }) => enrolment.status(params.id),
    setUpTwoFactor: ({ actor }) => enrolment.setUp(personOf(actor)),
    enableTwoFactor: async ({ actor, body, origin }) => {
      const mayTrustClock = body.allow_unsynchronised_clock === true;
      const codes = await enrolment.enable(personOf(actor), body.code, mayTrustClock, origin);
      return { recovery_codes: codes, two_factor: enrolment.status(personOf(actor).account.id) };
    },
    disableTwoFactor: ({ actor, body, origin }) => enrolment.disable(personOf(actor), body, origin),
    recoverTwoFactor: (call) => recover(options, call),
    makeRecoveryCodes: async ({ actor }) => ({
      recovery_codes: await enrolment.renewRecoveryCodes(personOf(actor)),
    }),
  };
}

/** Without a session by password and recovery code; or by an administrator, who says why. */
async function recover(
  { accounts, enrolment, recovery }: TwoFactorHandlersOptions,
  { params, body, actor, origin, note }: Call<"recoverTwoFactor">,
) {
  const { password, recovery_code, reason } = body;
  if (password !== undefined && recovery_code !== undefined) {
    return delivered(await recovery.recover(params.id, { password, recovery_code }, origin), "body", {
      cookie: undefined,
      note,
    });
  }
  authorise({ access: admins, stepUp: true }, actor, params);
  const { id, two_factor } = named(accounts, params.id);
  if (!two_factor.enabled) {
    throw new StewardError(
      "two_factor_not_enabled",
      "This user has no second factor. Nothing was changed, and no session was ended.",
    );
  }
  const user: User = await enrolment.remove(id);
  note({ subject: { id, name: user.username }, details: { reason: reason ?? "" } });
  return user;
}

/** By id or by name. Throws `not_found`. */
function named(accounts: Accounts, reference: string): User {
  return accounts.get(accounts.findByName(reference)?.id ?? reference);
}
