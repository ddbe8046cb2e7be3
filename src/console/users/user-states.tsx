import type { User } from "../../contract/types.ts";
import { shortDuration } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { deviceNow } from "../client/device-time.ts";
import { Badge } from "../ui/badge.tsx";

/** Says why a user cannot sign in, or has to do something at the next sign-in. */
export function UserStates({ user }: { readonly user: User }) {
  const { enabled, locked, must_change_password, origin } = user;
  const isFormer = origin === "former_provider";
  if (enabled && locked === null && !must_change_password && !isFormer)
    return <span class="with-heads">{t.users.states.active}</span>;
  return (
    <span class="users-states">
      {!enabled && <Badge state="unknown">{t.users.states.disabled}</Badge>}
      {isFormer && <Badge state="unknown">{t.users.states.formerProvider}</Badge>}
      {locked !== null && <Badge state="attention">{lockOf(locked)}</Badge>}
      {must_change_password && <Badge state="unknown">{t.users.mustChange}</Badge>}
    </span>
  );
}

function lockOf({ password, until }: NonNullable<User["locked"]>): string {
  const left = shortDuration(Math.max(1, Math.round((Date.parse(until) - deviceNow()) / 1_000)));
  return `${password ? t.users.states.locked : t.users.codesLocked} · ${left}`;
}

/** The second factor in words, with the number of recovery codes that are left. */
export function factorOf({ two_factor, origin }: User): string {
  if (origin !== "local") return t.users.factorOfProvider;
  return two_factor.enabled ? t.users.factorOn(two_factor.recovery_codes_remaining) : t.users.factorOff;
}
