import { useEffect, useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { navigate } from "../navigation/navigation.ts";
import { phase } from "../session/session.ts";
import { NewPasswordField, newPasswordError } from "../sign-in/new-password-field.tsx";
import { Outside } from "../sign-in/outside.tsx";
import { setupToken } from "../sign-in/setup-token.ts";
import { signInWith } from "../sign-in/sign-in.tsx";
import { UsernameField, usernameError } from "../sign-in/username-field.tsx";
import { useStore } from "../store.ts";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { errorAt, Form } from "../ui/form/form.tsx";
import { Submit } from "../ui/form/submit.tsx";

/** The first administrator, or one of a rescue: signed in at once and led to a second factor. */
export function FirstRun({ isRescue }: { isRescue: boolean }) {
  const given = useStore(setupToken);
  const [token, setToken] = useState(given);
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  useEffect(() => {
    if (given !== "") setToken(given);
  }, [given]);
  const action = useAction(() => setUp(token.trim(), username.trim(), password));
  const { error } = action;
  const tokenError = errorAt(error, "/setup_token", /^setup_token_invalid$/);
  return (
    <Outside title={t.firstRun.title}>
      <p>{isRescue ? t.firstRun.rescue : t.firstRun.intro}</p>
      <Form
        error={error}
        isBrief={Boolean(tokenError ?? usernameError(error) ?? newPasswordError(error, "/password"))}
        onSubmit={() => void action.run()}
        footer={<Submit action={action}>{t.firstRun.submit}</Submit>}
      >
        <TextField
          label={t.firstRun.token}
          hint={t.firstRun.tokenHint}
          error={tokenError}
          value={token}
          onInput={setToken}
          autocomplete="off"
          spellcheck={false}
          isFirst={given === ""}
        />
        <UsernameField value={username} onInput={setUsername} error={error} isOwn isFirst={given !== ""} />
        <NewPasswordField
          label={t.signIn.password}
          value={password}
          onInput={setPassword}
          error={error}
          pointer="/password"
        />
      </Form>
    </Outside>
  );
}

async function setUp(token: string, username: string, password: string): Promise<void> {
  try {
    await call("setUp", { body: { setup_token: token, username, password } });
  } catch (error) {
    if (codeOf(error) !== "setup_already_done") throw error;
    setupToken.set("");
    phase.set("signed-out");
    toast(t.firstRun.alreadyDone);
    return;
  }
  await navigate("/account", { welcome: "1" }, { replace: true });
  await signInWith({ username, password, factor: null, challengeToken: null, isLost: false });
  setupToken.set("");
}
