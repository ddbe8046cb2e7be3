import { useEffect, useState } from "preact/hooks";
import type { Enrolment } from "../../contract/types.ts";
import { EnrolmentForm } from "../account/enrolment-form.tsx";
import { RecoveryCodesForm } from "../account/recovery-codes-form.tsx";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { useUnsaved } from "../navigation/use-unsaved.ts";
import { me, restriction, userChanged } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { StepButtons, type StepProps } from "./step.tsx";

/** The authenticator of the administrator: its QR code at once, then the recovery codes. */
export function FactorStep({ settings, updates, onDone, onBack }: StepProps) {
  const isRequired = useStore(restriction) !== null;
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const user = me();
  const begin = useAction(async () => {
    setEnrolment(await call("setUpTwoFactor", { params: { id: user.id } }));
  });
  useEffect(() => {
    if (!user.two_factor.enabled) void begin.run();
  }, []);
  useUnsaved(codes !== null);
  if (codes !== null) {
    const keptCodes = async (): Promise<void> => {
      userChanged(await call("getMe"));
      setCodes(null);
      // They could not be read while the second factor was missing.
      await Promise.all([settings.reload(), updates.reload()]);
      onDone();
    };
    return (
      <>
        <h3>{t.account.recoveryCodes}</h3>
        <RecoveryCodesForm username={user.username} codes={codes} onKept={keptCodes} />
      </>
    );
  }
  if (user.two_factor.enabled) return <Done onDone={onDone} />;
  const others = !isRequired && (
    <StepButtons {...{ settings, onDone, onBack }} needless="second_factor_advised" />
  );
  return (
    <>
      <p>{isRequired ? t.account.enrolText : t.account.inviteText}</p>
      {enrolment !== null ? (
        <EnrolmentForm
          {...{ user, enrolment, others }}
          onEnabled={setCodes}
          onAgain={() => void begin.run()}
        />
      ) : (
        <>
          {begin.isBusy && <Skeleton lines={6} />}
          <ProblemView error={begin.error} />
          <div class="buttons">
            {!begin.isBusy && (
              <Button kind="primary" onClick={() => void begin.run()}>
                {t.firstRun.showQr}
              </Button>
            )}
            {others}
          </div>
        </>
      )}
    </>
  );
}

function Done({ onDone }: { readonly onDone: () => void }) {
  const { recovery_codes_remaining: left } = me().two_factor;
  return (
    <>
      <p>
        <Badge state="good">{t.firstRun.factorOn(left)}</Badge>
      </p>
      <div class="buttons">
        <Button kind="primary" onClick={onDone}>
          {t.ui.goOn}
        </Button>
      </div>
    </>
  );
}
