import { useEffect, useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { place } from "../navigation/navigation.ts";
import { useUnsaved } from "../navigation/use-unsaved.ts";
import { keptEntries } from "../session/reload.ts";
import { me, restriction, session, userChanged } from "../session/session.ts";
import { isFactorRequired, minimumCharacters, NewPasswordField } from "../sign-in/new-password-field.tsx";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
import { NameForManagers, PasswordField } from "../ui/form/password-field.tsx";
import { Banner, Facts, Page, Section, Tabs } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { Sessions, Tokens } from "../users/user-access.tsx";
import { CreateTokenSheet } from "./create-token-sheet.tsx";
import { Passkeys } from "./passkeys.tsx";
import { TwoFactorSection } from "./two-factor-section.tsx";
import "../styles/parts/account.css";

/** The own account in parts, one at a time, by `?open=` in the address; of it only what has to be done first, where something has to. */
export function AccountPage() {
  useStore(session);
  const first = useStore(restriction);
  const user = me();
  const { welcome, lost, open = "" } = useStore(place).query;
  // As long as it is in the address, so that nothing changes its place under a dialog.
  const isLed = Boolean(welcome || lost);
  useEffect(() => {
    call("getMe").then(userChanged, () => undefined);
  }, []);
  if (first !== null)
    return (
      <Page title={t.frame.account}>
        <div class="account">
          {first === "password_change_required" ? (
            <PasswordChange user={user} isAlone />
          ) : (
            <TwoFactorSection user={user} isRequired isLed />
          )}
        </div>
      </Page>
    );
  const isOwn = user.origin === "local";
  const names = isOwn
    ? (["sign-in", "sessions", "tokens", "you"] as const)
    : (["sign-in", "sessions"] as const);
  const present = names.find((name) => name === open) ?? "sign-in";
  return (
    <Page title={t.frame.account}>
      <Tabs
        label={t.frame.account}
        items={names.map((name) => ({ to: "/account", open: name, text: titles[name]() }))}
        current={present}
      />
      {isLed && !user.two_factor.enabled && (
        <Banner state={lost ? "attention" : "unknown"} action={<Link to="/">{t.ui.later}</Link>}>
          {lost ? t.account.lostRemoved : t.account.welcome}
        </Banner>
      )}
      {/* Forms stay while another part is open, for what is typed in them; of lists one is read that is looked at. */}
      <div class="account" hidden={present !== "sign-in"}>
        {isOwn ? (
          <SignIn user={user} isLed={isLed} isShown={present === "sign-in"} />
        ) : (
          <p>{t.account.ofProvider}</p>
        )}
      </div>
      {isOwn && (
        <div class="account" hidden={present !== "you"}>
          <Profile user={user} />
        </div>
      )}
      {present === "sessions" && <Sessions userId={user.id} />}
      {present === "tokens" && <OwnTokens userId={user.id} />}
    </Page>
  );
}

const titles = {
  "sign-in": () => t.account.signIn,
  sessions: () => t.person.sessions,
  tokens: () => t.person.tokens,
  you: () => t.account.you,
};

/** The ways of signing in. The length of a password depends on the same settings as the second factor. */
function SignIn({
  user,
  isLed,
  isShown,
}: {
  readonly user: User;
  readonly isLed: boolean;
  readonly isShown: boolean;
}) {
  const security = useResource("getSettings").value?.security ?? null;
  return (
    <>
      <TwoFactorSection
        user={user}
        isRequired={security !== null && isFactorRequired(user.role, security)}
        isLed={isLed}
      />
      {user.two_factor.enabled && isShown && <Passkeys user={user} />}
      <PasswordChange user={user} minimum={minimumCharacters(user.role, security)} />
    </>
  );
}

export const pages = { "/account": AccountPage };

/** Another password. `isAlone`: a one-use password has to give way to it before anything else. */
function PasswordChange({
  user,
  minimum,
  isAlone = false,
}: {
  readonly user: User;
  /** Characters; absent: not known. */
  readonly minimum?: number | undefined;
  readonly isAlone?: boolean;
}) {
  const form = useForm({ current_password: "", new_password: "" }, async (body) => {
    await call("changePassword", { body });
    form.type({ current_password: "", new_password: "" });
    userChanged({ ...user, must_change_password: false });
    toast(t.account.passwordChanged);
  });
  return (
    <Section title={t.signIn.password}>
      <p>{isAlone ? t.account.oneUsePassword : t.account.passwordText}</p>
      <Form form={form} verb={t.account.changePassword} kind={isAlone ? "primary" : "plain"}>
        <NameForManagers username={user.username} />
        <PasswordField
          {...form.field("current_password", /^password_wrong$/)}
          label={isAlone ? t.account.presentOneUse : t.account.presentPassword}
          autocomplete="current-password"
          isFirst={isAlone}
        />
        <NewPasswordField
          {...form.field("new_password")}
          label={t.person.newPassword}
          error={form.error}
          pointer="/new_password"
          minimum={minimum}
        />
      </Form>
    </Section>
  );
}

/** One's own name, role and rights; the name that others read can be changed. */
function Profile({ user }: { readonly user: User }) {
  const form = useForm(
    keptEntries<{ readonly display_name: string }>("profile") ?? { display_name: user.display_name },
    async (body) => {
      userChanged(await call("updateUser", { params: { id: user.id }, body }));
      toast(t.ui.saved);
    },
  );
  const isChanged = form.typed.display_name !== user.display_name;
  useUnsaved(isChanged, { name: "profile", entries: () => form.typed });
  return (
    <Section title={t.account.you}>
      <Facts
        items={[
          [t.signIn.username, user.username],
          [
            t.person.role,
            <>
              {t.person.roles[user.role]}
              <div class="hint">{t.person.mayDo[user.role]}</div>
            </>,
          ],
          [t.person.lastSignIn, <Time key="last" at={user.last_login_at} />],
        ]}
      />
      <Form form={form} verb={t.ui.save} kind="plain" isReady={isChanged}>
        <TextField
          {...form.field("display_name")}
          label={t.person.displayName}
          hint={t.account.displayNameHint}
          maxLength={64}
        />
      </Form>
    </Section>
  );
}

function OwnTokens({ userId }: { readonly userId: string }) {
  const list = useResource("listTokens", { query: { user_id: userId } });
  const [isCreating, setIsCreating] = useState(false);
  return (
    <>
      <Tokens
        userId={userId}
        action={<Button onClick={() => setIsCreating(true)}>{t.account.createToken}</Button>}
      >
        <p>{t.account.tokensText}</p>
      </Tokens>
      {isCreating && (
        <CreateTokenSheet onCreated={() => void list.reload()} onClose={() => setIsCreating(false)} />
      )}
    </>
  );
}
