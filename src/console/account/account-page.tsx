import { useEffect } from "preact/hooks";
import type { SessionList, User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { place } from "../navigation/navigation.ts";
import { useUnsaved } from "../navigation/use-unsaved.ts";
import { keptEntries } from "../session/reload.ts";
import { me, restriction, session, userChanged } from "../session/session.ts";
import { isFactorRequired, minimumCharacters, NewPasswordField } from "../sign-in/new-password-field.tsx";
import { useStore } from "../store.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
import { NameForManagers, PasswordField } from "../ui/form/password-field.tsx";
import { Banner, Facts, Page, Section, Skeleton } from "../ui/page.tsx";
import { ProblemView, ReadProblem } from "../ui/problem-view.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { agentInWords } from "../ui/words/access.ts";
import { ApiTokens } from "./api-tokens.tsx";
import { Passkeys } from "./passkeys.tsx";
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

type Listed = SessionList["items"][number];

function Sessions() {
  const list = useResource("listSessions");
  const end = useAction(async (sessions: readonly Listed[]) => {
    for (const { id } of sessions) await endOne(id);
    toast(t.account.sessionsEnded(sessions.length));
    await list.reload();
  });
  const items = list.value?.items ?? [];
  const others = items.filter(({ is_current }) => !is_current);
  return (
    <Section
      title={t.person.sessions}
      action={
        others.length > 0 && (
          <Button isBusy={end.isBusy} onClick={() => void end.run(others)}>
            {t.account.endOthers}
          </Button>
        )
      }
    >
      <ReadProblem of={[list]} />
      <ProblemView error={end.error} />
      {list.value === null ? (
        list.error === null && <Skeleton />
      ) : (
        <Table
          caption={t.person.sessions}
          columns={columns((session) => void end.run([session]))}
          rows={items}
          rowKey={({ id }) => id}
        />
      )}
    </Section>
  );
}

/** A session that has already ended is not an error. */
async function endOne(sid: string): Promise<void> {
  try {
    await call("endSession", { params: { sid } });
  } catch (error) {
    if (codeOf(error) !== "not_found") throw error;
  }
}

function columns(onEnd: (session: Listed) => void): Column<Listed>[] {
  return [
    {
      key: "browser",
      title: t.account.browser,
      cell: ({ user_agent, is_current }) => (
        <>
          <span title={user_agent}>{agentInWords(user_agent)}</span>{" "}
          {is_current && <Badge state="good">{t.account.thisSession}</Badge>}
        </>
      ),
    },
    { key: "from", title: t.account.from, cell: ({ address }) => address },
    { key: "created", title: t.account.signedIn, cell: ({ created_at }) => <Time at={created_at} /> },
    { key: "used", title: t.person.lastUsed, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      key: "end",
      title: t.person.end,
      cell: (session) =>
        session.is_current ? null : (
          <Button label={t.person.endOf(agentInWords(session.user_agent))} onClick={() => onEnd(session)}>
            {t.person.end}
          </Button>
        ),
    },
  ];
}
