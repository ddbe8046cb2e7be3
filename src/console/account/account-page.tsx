import { useEffect } from "preact/hooks";
import type { Settings, User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { place } from "../navigation/navigation.ts";
import { me, restriction, session, userChanged } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Banner, Page } from "../ui/page.tsx";
import { ApiTokens } from "./api-tokens.tsx";
import { PasswordChange } from "./password-change.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";
import { TwoFactorSection } from "./two-factor-section.tsx";

/** The own account; of it only what has to be done first, where something has to. */
export function AccountPage() {
  useStore(session);
  const first = useStore(restriction);
  const user = me();
  const { welcome } = useStore(place).query;
  useEffect(() => {
    call("getMe").then(userChanged, () => undefined);
  }, []);
  return (
    <Page title={t.frame.account}>
      <div class="account">
        {first === null && welcome !== undefined && !user.two_factor.enabled && (
          <Banner state="unknown" action={<Link to="/">{t.account.later}</Link>}>
            {t.account.welcome}
          </Banner>
        )}
        {first === null && <Profile user={user} />}
        {first === "password_change_required" && <PasswordChange user={user} isAlone />}
        {first !== "password_change_required" && <TwoFactorWithPolicy user={user} />}
        {first === null && <Sessions />}
        {first === null && <ApiTokens />}
      </div>
    </Page>
  );
}

/** The password with it: what is asked of it depends on the same settings. */
function TwoFactorWithPolicy({ user }: { readonly user: User }) {
  const isRequired = useStore(restriction) !== null;
  const security = useResource("getSettings").value?.security ?? null;
  return (
    <>
      {!isRequired && (
        <PasswordChange user={user} minimum={security ? minimumOf(user, security) : undefined} />
      )}
      <TwoFactorSection
        user={user}
        isRequired={isRequired || (security !== null && isPolicyFor(user, security))}
      />
    </>
  );
}

function isPolicyFor({ role }: User, { require_2fa: policy }: Settings["security"]): boolean {
  return policy === "all" || (policy === "admins" && role === "admin");
}

/** Characters: eight where a code always comes with it, unless the device says otherwise. */
function minimumOf(user: User, security: Settings["security"]): number {
  return security.password_min_length === 15 && isPolicyFor(user, security)
    ? 8
    : security.password_min_length;
}
