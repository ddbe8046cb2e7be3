import { useEffect, useRef, useState } from "preact/hooks";
import type { PasskeyProof, PasskeyRequest } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { codeOf, type ProblemError } from "../client/problem.ts";
import { endedBy } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { errorAt, Form, type FormState, useForm } from "../ui/form/form.tsx";
import { NameForManagers, PasswordField } from "../ui/form/password-field.tsx";
import { bodyOf } from "../ui/page.tsx";
import { titleOf } from "../ui/problem-view.tsx";
import { CodeClock } from "./code-clock.tsx";

type FactorProof =
  | { readonly code: string }
  | { readonly recovery_code: string }
  | { readonly passkey: PasskeyProof };

/** The answer that asked for the second factor. */
interface Challenge {
  readonly token: string | null;
  readonly passkey: PasskeyRequest | null;
}

export interface CredentialInput {
  readonly username: string;
  readonly password: string;
  /** null: none was asked for yet. */
  readonly factor: FactorProof | null;
  /** Taken from the answer that asked for the factor. */
  readonly challengeToken: string | null;
  /** The authenticator is lost: the recovery code is to take the factor away. */
  readonly isLost: boolean;
}

interface Typed {
  readonly username: string;
  readonly password: string;
  readonly code: string;
  readonly isRecovery: boolean;
  readonly isLost: boolean;
}

/** Answers after which the password has to be given again. */
const begunAnew = ["challenge_invalid", "passkey_invalid", "password_wrong", "invalid_credentials"];

/**
 * Name, password and, where the agent asks for it, a code. `username`: whose password it is, where that is settled.
 * `isPage`: it is the page for signing in, where the browser's back button leads from the code to the name.
 * `onGiven` throws what the agent answers; `totp_required` makes it ask for the code.
 */
export function Credentials({
  username: settled,
  verb,
  isPage = false,
  onGiven,
}: {
  readonly username?: string;
  readonly verb: string;
  readonly isPage?: boolean;
  readonly onGiven: (given: CredentialInput) => Promise<void>;
}) {
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const proven = useRef<PasskeyProof | null>(null);
  const begun: Typed = { username: settled ?? "", password: "", code: "", isRecovery: false, isLost: false };
  const form = useForm(begun, async (typed) => {
    try {
      await onGiven(givenBy(typed, challenge, proven.current));
    } catch (error) {
      if (begunAnew.includes(codeOf(error) ?? "") && !(typed.isLost && challenge !== null))
        setChallenge(null);
      if (codeOf(error) !== "totp_required" || challenge !== null) throw error;
      const { challenge_token: token = null, passkey = null } = (error as ProblemError).problem;
      setChallenge({ token, passkey });
      if (isPage) history.pushState(null, "", location.href);
    }
  });
  const { typed, type, error } = form;
  useEffect(() => {
    if (!isPage) return;
    const onBack = (): void => {
      setChallenge(null);
      form.forget();
    };
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
  const why = useStore(endedBy);
  const wrong = codeOf(error)?.startsWith("totp_")
    ? `${titleOf(error)}. ${t.signIn.nextCode}.`
    : errorAt(error, typed.isRecovery ? "/recovery_code" : "/code");
  const otherWays = challenge !== null && (
    <>
      {challenge.passkey !== null && (
        <PasskeyWay
          request={challenge.passkey}
          onProven={async (proof) => {
            proven.current = proof;
            await form.run();
            proven.current = null;
          }}
        />
      )}
      <Button
        kind="quiet"
        onClick={() => {
          type({ isRecovery: !typed.isRecovery, code: "" });
          form.forget();
        }}
      >
        {typed.isRecovery ? t.signIn.useCode : t.signIn.useRecoveryCode}
      </Button>
    </>
  );
  return (
    <Form form={{ ...form, error: error ?? why }} verb={verb} others={otherWays}>
      {challenge !== null ? (
        <CodeFields {...{ form, isPage, wrong }} />
      ) : (
        <PasswordFields form={form} isSettled={settled !== undefined} />
      )}
      <CodeClock error={error} />
    </Form>
  );
}

function givenBy(
  { username, password, code, isRecovery, isLost }: Typed,
  challenge: Challenge | null,
  passkey: PasskeyProof | null,
): CredentialInput {
  const ofCode = isRecovery ? { recovery_code: code } : { code };
  const factor = challenge === null ? null : passkey === null ? ofCode : { passkey };
  return {
    username: username.trim(),
    password,
    factor,
    challengeToken: challenge?.token ?? null,
    isLost: isRecovery && isLost,
  };
}

/** Loaded where the user has a passkey for this page. */
const PasskeyWay = bodyOf("passkey", 0, false);

function PasswordFields({
  form,
  isSettled,
}: {
  readonly form: FormState<Typed>;
  readonly isSettled: boolean;
}) {
  return (
    <>
      {isSettled ? (
        <NameForManagers username={form.typed.username} />
      ) : (
        <TextField
          {...form.field("username")}
          label={t.signIn.username}
          name="username"
          autocomplete="username"
          spellcheck={false}
          isFirst
        />
      )}
      <PasswordField
        {...form.field("password")}
        label={t.signIn.password}
        autocomplete="current-password"
        isFirst={isSettled}
      />
    </>
  );
}

function CodeFields({
  form,
  isPage,
  wrong,
}: {
  readonly form: FormState<Typed>;
  readonly isPage: boolean;
  /** The fault of the code; null: none is known. */
  readonly wrong: string | null;
}) {
  const { isRecovery } = form.typed;
  return (
    <>
      <TextField
        {...form.field("code")}
        key={isRecovery ? "recovery" : "code"}
        label={isRecovery ? t.signIn.recoveryCode : t.signIn.code}
        hint={isRecovery ? t.signIn.recoveryCodeHint : t.signIn.codeHint}
        error={wrong}
        name={isRecovery ? "recovery-code" : "code"}
        inputMode={isRecovery ? "text" : "numeric"}
        autocomplete={isRecovery ? "off" : "one-time-code"}
        spellcheck={false}
        isFirst
      />
      {isPage && isRecovery && (
        <CheckField {...form.field("isLost")} label={t.signIn.lost} hint={t.signIn.lostHint} />
      )}
    </>
  );
}
