import { useEffect, useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { codeOf, ProblemError } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { endedBy } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { Form } from "../ui/form/form.tsx";
import { PasswordField } from "../ui/form/password-field.tsx";
import { Submit } from "../ui/form/submit.tsx";
import { titleOf } from "../ui/problem-view.tsx";
import { CodeClock } from "./code-clock.tsx";
import { NameForManagers } from "./name-for-managers.tsx";

/** The code that proves the second factor. */
export type FactorProof = { readonly code: string } | { readonly recovery_code: string };

export interface Given {
  readonly username: string;
  readonly password: string;
  /** null: none was asked for yet. */
  readonly factor: FactorProof | null;
  /** From the answer that asked for the factor. */
  readonly challengeToken: string | null;
  /** The authenticator is lost: the recovery code is to take the factor away. */
  readonly isLost: boolean;
}

/** The entries of the form. */
interface Typed {
  readonly username: string;
  readonly password: string;
  readonly code: string;
  readonly isRecovery: boolean;
  readonly isLost: boolean;
}

type Change = (change: Partial<Typed>) => void;

/** Answers after which the password has to be given anew. */
const begunAnew = ["challenge_invalid", "password_wrong", "invalid_credentials"];

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
  readonly onGiven: (given: Given) => Promise<void>;
}) {
  const [typed, setTyped] = useState<Typed>({
    username: settled ?? "",
    password: "",
    code: "",
    isRecovery: false,
    isLost: false,
  });
  const change: Change = (some) => setTyped((before) => ({ ...before, ...some }));
  const [challenge, setChallenge] = useState<{ token: string | null } | null>(null);
  const action = useAction(async () => {
    try {
      await onGiven(givenBy(typed, challenge));
    } catch (error) {
      if (begunAnew.includes(codeOf(error) ?? "") && !(typed.isLost && challenge !== null))
        setChallenge(null);
      if (codeOf(error) !== "totp_required" || challenge !== null) throw error;
      setChallenge({ token: error instanceof ProblemError ? (error.problem.challenge_token ?? null) : null });
      if (isPage) history.pushState(null, "", location.href);
    }
  });
  useBack(() => {
    if (!isPage) return;
    setChallenge(null);
    action.forget();
  });
  const why = useStore(endedBy);
  const isWrongCode = codeOf(action.error)?.startsWith("totp_") ?? false;
  return (
    <Form
      error={action.error ?? why}
      isBrief={isWrongCode}
      onSubmit={() => void action.run()}
      footer={
        <>
          <Submit action={action}>{verb}</Submit>
          {challenge !== null && (
            <Button
              kind="quiet"
              onClick={() => {
                change({ isRecovery: !typed.isRecovery, code: "" });
                action.forget();
              }}
            >
              {typed.isRecovery ? t.signIn.useCode : t.signIn.useRecoveryCode}
            </Button>
          )}
        </>
      }
    >
      {challenge !== null ? (
        <CodeFields {...{ typed, change, isPage, wrong: isWrongCode ? titleOf(action.error) : null }} />
      ) : (
        <PasswordFields {...{ typed, change }} isSettled={settled !== undefined} />
      )}
      <CodeClock error={action.error} />
    </Form>
  );
}

function useBack(onBack: () => void): void {
  useEffect(() => {
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);
}

function givenBy(
  { username, password, code, isRecovery, isLost }: Typed,
  challenge: { readonly token: string | null } | null,
): Given {
  const factor = challenge === null ? null : isRecovery ? { recovery_code: code } : { code };
  return {
    username: username.trim(),
    password,
    factor,
    challengeToken: challenge?.token ?? null,
    isLost: isRecovery && isLost,
  };
}

function PasswordFields({
  typed,
  change,
  isSettled,
}: {
  readonly typed: Typed;
  readonly change: Change;
  readonly isSettled: boolean;
}) {
  return (
    <>
      {isSettled ? (
        <NameForManagers username={typed.username} />
      ) : (
        <TextField
          label={t.signIn.username}
          name="username"
          value={typed.username}
          onInput={(username) => change({ username })}
          autocomplete="username"
          spellcheck={false}
          isFirst
        />
      )}
      <PasswordField
        label={t.signIn.password}
        value={typed.password}
        onInput={(password) => change({ password })}
        autocomplete="current-password"
        isFirst={isSettled}
      />
    </>
  );
}

function CodeFields({
  typed: { code, isRecovery, isLost },
  change,
  isPage,
  wrong,
}: {
  readonly typed: Typed;
  readonly change: Change;
  readonly isPage: boolean;
  /** What is wrong with the code; null: nothing is known. */
  readonly wrong: string | null;
}) {
  return (
    <>
      <TextField
        key={isRecovery ? "recovery" : "code"}
        label={isRecovery ? t.signIn.recoveryCode : t.signIn.code}
        hint={isRecovery ? t.signIn.recoveryCodeHint : t.signIn.codeHint}
        error={wrong && `${wrong}. ${t.signIn.nextCode}.`}
        name={isRecovery ? "recovery-code" : "code"}
        value={code}
        onInput={(next) => change({ code: next })}
        inputMode={isRecovery ? "text" : "numeric"}
        autocomplete={isRecovery ? "off" : "one-time-code"}
        spellcheck={false}
        isFirst
      />
      {isPage && isRecovery && (
        <CheckField
          label={t.signIn.lost}
          hint={t.signIn.lostHint}
          value={isLost}
          onChange={(next) => change({ isLost: next })}
        />
      )}
    </>
  );
}
