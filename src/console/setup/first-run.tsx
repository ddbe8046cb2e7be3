import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { usePart } from "../client/parts.ts";
import { codeOf, Unreachable } from "../client/problem.ts";
import { navigate } from "../navigation/navigation.ts";
import { phase } from "../session/session.ts";
import { NewPasswordField } from "../sign-in/new-password-field.tsx";
import { Greeting, Outside } from "../sign-in/outside.tsx";
import { setupToken } from "../sign-in/setup-token.ts";
import { signInWith } from "../sign-in/sign-in.tsx";
import { UsernameField } from "../sign-in/username-field.tsx";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { Form, type FormState, useForm } from "../ui/form/form.tsx";
import { Skeleton } from "../ui/page.tsx";
import { ProblemBox } from "../ui/problem-view.tsx";
import { SetupFrame } from "./setup-frame.tsx";
import { suggestedUsername } from "./suggested-username.ts";
import { TokenField } from "./token-field.tsx";

/** The first administrator, or one of a rescue; signed in at once. A new device may be made of a backup instead. */
export function FirstRun({ isRescue }: { isRescue: boolean }) {
  const [isRestoring, setRestoring] = useState(false);
  if (isRestoring) return <Restoring onBack={() => setRestoring(false)} />;
  if (!isRescue)
    return (
      <SetupFrame now="password">
        <Greeting />
        <p>{t.firstRun.intro}</p>
        <AdministratorForm isRescue={false} onRestore={() => setRestoring(true)} />
      </SetupFrame>
    );
  return (
    <Outside title={t.firstRun.title}>
      <p>{t.firstRun.rescue}</p>
      <AdministratorForm isRescue />
    </Outside>
  );
}

function Restoring({ onBack }: { readonly onBack: () => void }) {
  const restore = usePart("restore");
  return restore === null ? (
    <Outside title={t.firstRun.title} isWide>
      <Skeleton />
    </Outside>
  ) : (
    <restore.Body onBack={onBack} />
  );
}

function AdministratorForm({
  isRescue,
  onRestore,
}: {
  readonly isRescue: boolean;
  readonly onRestore?: () => void;
}) {
  const given = useStore(setupToken);
  const made = useRef<Made>("no");
  const form = useForm({ ...blank, setup_token: given }, async (typed) => {
    const entries = {
      setup_token: typed.setup_token.trim(),
      username: typed.username.trim(),
      display_name: typed.display_name.trim(),
      password: typed.password,
    };
    await (isRescue ? rescue(entries) : setUp(entries, made));
  });
  useEffect(() => {
    if (given === "") return;
    form.type({ setup_token: given });
    // It may have refused the token before.
    form.forget();
  }, [given]);
  const restore = onRestore && (
    <Button kind="quiet" onClick={onRestore}>
      {t.firstRun.restore}
    </Button>
  );
  const hasLost = !isRescue && codeOf(form.error) === "setup_already_done";
  const error = hasLost ? null : form.error;
  return (
    <Form
      form={{ ...form, error }}
      {...(hasLost ? { others: <RaceLost /> } : { verb: t.firstRun.submit, others: restore })}
    >
      <TokenField {...form.field("setup_token", /^setup_token_invalid$/)} />
      {!isRescue && <NameField form={form} isFirst={given !== ""} />}
      <UsernameField {...form.field("username")} error={error} isOwn isFirst={isRescue && given !== ""} />
      <NewPasswordField
        {...form.field("password")}
        label={t.signIn.password}
        error={error}
        pointer="/password"
      />
    </Form>
  );
}

/** The person's name. The user name follows it until the person types another one. */
function NameField({ form, isFirst }: { readonly form: FormState<Entries>; readonly isFirst: boolean }) {
  const { username, display_name: before } = form.typed;
  const isSuggested = username === suggestedUsername(before);
  return (
    <TextField
      {...form.field("display_name")}
      onInput={(display_name) =>
        form.type({ display_name, ...(isSuggested && { username: suggestedUsername(display_name) }) })
      }
      label={t.firstRun.yourName}
      hint={t.firstRun.yourNameHint}
      autocomplete="name"
      isFirst={isFirst}
    />
  );
}

/** Another person has made the first administrator while this page was open; what was typed stays until it is left. */
function RaceLost() {
  return (
    <>
      <ProblemBox title={t.firstRun.raceLost}>
        <p>{t.firstRun.raceLostText}</p>
      </ProblemBox>
      <Button kind="primary" onClick={goToSignIn}>
        {t.signIn.title}
      </Button>
    </>
  );
}

function goToSignIn(): void {
  setupToken.set("");
  phase.set("signed-out");
}

const blank = { setup_token: "", display_name: "", username: "", password: "" };

type Entries = Readonly<typeof blank>;

/** This page's knowledge of the account: a request whose answer was lost may have made it. */
type Made = "no" | "perhaps" | "yes";

/** Sent again after a lost answer or a refused sign-in, it goes on where it was. */
async function setUp(entries: Entries, made: { current: Made }): Promise<void> {
  let refusal: unknown = null;
  if (made.current !== "yes")
    try {
      await call("setUp", { body: entries });
      made.current = "yes";
    } catch (error) {
      if (error instanceof Unreachable) made.current = "perhaps";
      if (codeOf(error) !== "setup_already_done" || made.current === "no") throw error;
      refusal = error;
    }
  await enter(entries, "/setup", { step: "factor" }).catch((error: unknown) => {
    // It was not this page's request that made the account.
    throw refusal !== null && codeOf(error) === "invalid_credentials" ? refusal : error;
  });
}

async function rescue({ display_name: _, ...entries }: Entries): Promise<void> {
  try {
    await call("setUp", { body: entries });
  } catch (error) {
    if (codeOf(error) !== "setup_already_done") throw error;
    goToSignIn();
    toast(t.firstRun.alreadyDone);
    return;
  }
  await enter(entries, "/account", { welcome: "1" });
}

/** The page that comes next is in the address before the session is there, so that no other is drawn between. */
async function enter(
  { username, password }: Pick<Entries, "username" | "password">,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<void> {
  await navigate(path, query, { replace: true });
  await signInWith({ username, password, factor: null, challengeToken: null, isLost: false });
  setupToken.set("");
}
