import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Enrolment, User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";
import { QrPicture } from "../print/paper.tsx";
import { CodeClock } from "../sign-in/code-clock.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { Form, useForm } from "../ui/form/form.tsx";
import { Secret } from "../ui/secret.tsx";

interface KeyProps {
  readonly enrolment: Enrolment;
}

export interface EnrolmentProps extends KeyProps {
  readonly user: User;
  readonly onEnabled: (recoveryCodes: readonly string[]) => void;
  readonly onAgain: () => void;
}

/** The authenticator takes the secret, and its first code shows that it did. `others`: what else can be done instead. */
export function EnrolmentForm({
  user,
  enrolment,
  others,
  onEnabled,
  onAgain,
}: EnrolmentProps & { readonly others: ComponentChildren }) {
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
  const isPhone = matchMedia("(pointer: coarse)").matches;
  return (
    <>
      {isPhone ? <OnPhone enrolment={enrolment} /> : <OnComputer enrolment={enrolment} />}
      <Form
        form={form}
        verb={isOver ? t.enrolment.beginAgain : t.enrolment.enable}
        others={others}
        {...(isOver && { onSubmit: onAgain })}
      >
        <TextField
          {...form.field("code")}
          label={t.signIn.code}
          hint={t.enrolment.firstCode}
          {...(isWrong && { error: t.enrolment.nextCode })}
          name="code"
          inputMode="numeric"
          autocomplete="one-time-code"
          spellcheck={false}
          // A phone's keyboard would cover the button that comes first.
          isFirst={!isPhone}
        />
        <CodeClock error={error} />
        {isInDoubt && (
          <CheckField
            {...form.field("allow_unsynchronised_clock")}
            label={t.enrolment.allowClock}
            hint={t.enrolment.allowClockHint}
          />
        )}
      </Form>
    </>
  );
}

/** The phone that shows this page usually has the authenticator, and cannot scan its own screen. */
function OnPhone({ enrolment }: KeyProps) {
  return (
    <>
      <p>{t.enrolment.onThisPhone}</p>
      <p class="account-app apart">
        <a class="button" href={enrolment.otpauth_uri}>
          {t.enrolment.openMine}
        </a>
      </p>
      <details class="account-otherwise">
        <summary>{t.enrolment.otherwise}</summary>
        <Key enrolment={enrolment} />
      </details>
    </>
  );
}

function OnComputer({ enrolment }: KeyProps) {
  return (
    <>
      <p>{t.enrolment.scan}</p>
      <Key enrolment={enrolment}>
        <a href={enrolment.otpauth_uri}>{t.enrolment.openAuthenticator}</a>
      </Key>
    </>
  );
}

function Key({ enrolment, children }: KeyProps & { readonly children?: ComponentChildren }) {
  return (
    <div class="account-enrolment">
      <QrPicture svg={enrolment.qr_svg} alt={t.enrolment.qr} />
      <div>
        <Secret
          label={t.enrolment.secret}
          text={enrolment.secret}
          shown={enrolment.secret.replace(/.{4}(?!$)/g, "$& ")}
        />
        <p class="hint">{t.enrolment.secretHint}</p>
        {children}
      </div>
    </div>
  );
}
