import type { SingleSignOn } from "../../accounts/oidc/single-sign-on.ts";
import type { RequestContext } from "../../accounts/request-context.ts";
import type { SignIn } from "../../accounts/sign-in/sign-in.ts";
import type { KeptAccount } from "../../accounts/users/provider-account.ts";
import type { EventSink } from "../../journal/events/event.ts";
import { type Handlers, personOf } from "../call.ts";
import { intoCookie, noteSignIn } from "./auth.ts";

/** Handles sign-in and step-up at the OpenID provider. `events`: for the accounts that a sign-in makes or changes. */
export function createProviderHandlers(
  singleSignOn: SingleSignOn,
  signIn: Pick<SignIn, "bind">,
  events: EventSink,
) {
  return {
    beginAtProvider: ({ body, actor, context }) =>
      singleSignOn.begin(body.origin, body.step_up ? personOf(actor) : null, context),
    signInAtProvider: async ({ body, context, cookie, note }) => {
      const { kept, ...signedIn } = await singleSignOn.finish(body, context);
      await recordKept(events, kept, context);
      const session = noteSignIn(signedIn, note);
      return body.refresh === "cookie" && cookie ? intoCookie(signIn, session, cookie) : session;
    },
    stepUpAtProvider: async ({ body, actor, context }) => ({
      expires_in: await singleSignOn.confirm(personOf(actor), body, context),
    }),
  } satisfies Partial<Handlers>;
}

/** Records that the provider's sign-in made an account, or changed its role. */
async function recordKept(
  events: EventSink,
  { before, account }: KeptAccount,
  { address, requestId }: RequestContext,
): Promise<void> {
  const subject = { id: account.id, name: account.username };
  const facts = { actor: { kind: "user" as const, ...subject }, subject, from: address, requestId };
  const { role, enabled } = account;
  if (!before) {
    const details = { role, enabled, has_initial_password: false, origin: "provider" };
    return events.record({ type: "user.created", ...facts, details });
  }
  if (before.role === role) return;
  await events.record({ type: "user.changed", ...facts, details: { role, role_before: before.role } });
}
