import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Enrolment, User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { QrPicture } from "../print/qr-picture.tsx";
import { CodeClock } from "../sign-in/code-clock.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { Form } from "../ui/form/form.tsx";
import { Submit } from "../ui/form/submit.tsx";
import { Secret } from "../ui/secret.tsx";

/** The authenticator takes the secret, and its first code shows that it did. `others`: what else can be done instead. */
export function EnrolmentForm({
  user,
  enrolment,
  others,
  onEnabled,
  onAgain,
}: {
  readonly user: User;
  readonly enrolment: Enrolment;
  readonly others: ComponentChildren;
  readonly onEnabled: (recoveryCodes: readonly string[]) => void;
  readonly onAgain: () => void;
}) {
  const [code, setCode] = useState("");
  const [isInDoubt, setIsInDoubt] = useState(false);
  const [isAllowed, setIsAllowed] = useState(false);
  const action = useAction(async () => {
    try {
      const body = { code, allow_unsynchronised_clock: isAllowed };
      const { recovery_codes } = await call("enableTwoFactor", { params: { id: user.id }, body });
      onEnabled(recovery_codes);
    } catch (error) {
      if (codeOf(error) === "clock_not_synchronised") setIsInDoubt(true);
      throw error;
    }
  });
  const { error } = action;
  const isWrong = codeOf(error)?.startsWith("totp_") ?? false;
  const isOver = codeOf(error) === "two_factor_not_pending";
  return (
    <>
      <p>{t.account.scan}</p>
      <div class="account-enrolment">
        <QrPicture svg={enrolment.qr_svg} alt={t.account.qr} />
        <div>
          <Secret
            label={t.account.secret}
            text={enrolment.secret}
            shown={enrolment.secret.replace(/.{4}(?!$)/g, "$& ")}
          />
          <p class="hint">{t.account.secretHint}</p>
          <a href={enrolment.otpauth_uri}>{t.account.openAuthenticator}</a>
        </div>
      </div>
      <Form
        error={error}
        isBrief={isWrong}
        onSubmit={() => void (isOver ? onAgain() : action.run())}
        footer={
          <>
            <Submit action={action}>{isOver ? t.account.beginAgain : t.account.enable}</Submit>
            {others}
          </>
        }
      >
        <TextField
          label={t.signIn.code}
          hint={t.account.firstCode}
          error={isWrong ? t.account.nextCode : null}
          name="code"
          value={code}
          onInput={setCode}
          inputMode="numeric"
          autocomplete="one-time-code"
          spellcheck={false}
          // A phone's keyboard would cover the picture that comes first.
          isFirst={!matchMedia("(pointer: coarse)").matches}
        />
        <CodeClock error={error} />
        {isInDoubt && (
          <CheckField
            label={t.account.allowClock}
            hint={t.account.allowClockHint}
            value={isAllowed}
            onChange={setIsAllowed}
          />
        )}
      </Form>
    </>
  );
}
