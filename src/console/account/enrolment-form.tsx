import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Enrolment, User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";
import { QrPicture } from "../print/qr-picture.tsx";
import { CodeClock } from "../sign-in/code-clock.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
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
  const [isInDoubt, setIsInDoubt] = useState(false);
  const form = useForm({ code: "", allow_unsynchronised_clock: false }, async (body) => {
    try {
      onEnabled((await call("enableTwoFactor", { params: { id: user.id }, body })).recovery_codes);
    } catch (error) {
      if (codeOf(error) === "clock_not_synchronised") setIsInDoubt(true);
      throw error;
    }
  });
  const { error } = form;
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
        form={form}
        verb={isOver ? t.account.beginAgain : t.account.enable}
        others={others}
        {...(isOver && { onSubmit: onAgain })}
      >
        <TextField
          {...form.field("code")}
          label={t.signIn.code}
          hint={t.account.firstCode}
          error={isWrong ? t.account.nextCode : null}
          name="code"
          inputMode="numeric"
          autocomplete="one-time-code"
          spellcheck={false}
          // A phone's keyboard would cover the picture that comes first.
          isFirst={!matchMedia("(pointer: coarse)").matches}
        />
        <CodeClock error={error} />
        {isInDoubt && (
          <CheckField
            {...form.field("allow_unsynchronised_clock")}
            label={t.account.allowClock}
            hint={t.account.allowClockHint}
          />
        )}
      </Form>
    </>
  );
}
