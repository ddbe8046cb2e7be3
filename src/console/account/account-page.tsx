import { useEffect } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { place } from "../navigation/navigation.ts";
import { me, restriction, session, userChanged } from "../session/session.ts";
import { isFactorRequired, minimumCharacters } from "../sign-in/new-password-field.tsx";
import { useStore } from "../store.ts";
import { Banner, Page } from "../ui/page.tsx";
import { ApiTokens } from "./api-tokens.tsx";
import { Passkeys } from "./passkeys.tsx";
import { PasswordChange } from "./password-change.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";
import { TwoFactorSection } from "./two-factor-section.tsx";
import "../styles/parts/account.css";

/** The own account; of it only what has to be done first, where something has to. */
export function AccountPage() {
  useStore(session);
  const first = useStore(restriction);
  const user = me();
  const { welcome, lost } = useStore(place).query;
  // As long as it is in the address, so that nothing changes its place under a dialog.
  const isLed = Boolean(welcome || lost);
  useEffect(() => {
    call("getMe").then(userChanged, () => undefined);
  }, []);
  return (
    <Page title={t.frame.account}>
      <div class="account">
        {first === null && isLed && !user.two_factor.enabled && (
          <Banner state={lost ? "attention" : "unknown"} action={<Link to="/">{t.ui.later}</Link>}>
            {lost ? t.account.lostRemoved : t.account.welcome}
          </Banner>
        )}
        {first === null && !isLed && user.origin === "local" && <Profile user={user} />}
        {first === "password_change_required" && <PasswordChange user={user} isAlone />}
        {user.origin === "provider" && <p>{t.account.ofProvider}</p>}
        {first !== "password_change_required" && user.origin === "local" && (
          <TwoFactorWithPolicy user={user} isLed={isLed} />
        )}
        {first === null && isLed && <Profile user={user} />}
        {first === null && <Sessions />}
        {first === null && user.origin === "local" && <ApiTokens />}
      </div>
    </Page>
  );
}

/** The password with it, since its requirements depend on the same settings; below it where one is led to it. */
function TwoFactorWithPolicy({ user, isLed }: { readonly user: User; readonly isLed: boolean }) {
  const isRequired = useStore(restriction) !== null;
  const security = useResource("getSettings").value?.security ?? null;
  const password = !isRequired && (
    <PasswordChange user={user} minimum={minimumCharacters(user.role, security)} />
  );
  return (
    <>
      {!isLed && password}
      <TwoFactorSection
        user={user}
        isRequired={isRequired || (security !== null && isFactorRequired(user.role, security))}
      />
      {user.two_factor.enabled && <Passkeys user={user} />}
      {isLed && password}
    </>
  );
}

export const pages = { "/account": AccountPage };
