import type { ComponentProps } from "preact";
import { useState } from "preact/hooks";
import type { Enrolment, User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { fewCodes, userChanged } from "../session/session.ts";
import { Credentials } from "../sign-in/credentials.tsx";
import { signInWith } from "../sign-in/sign-in.tsx";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { NameForManagers, PasswordField } from "../ui/form/password-field.tsx";
import { Facts, Section } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { Time } from "../ui/time.tsx";
import { EnrolmentForm, type EnrolmentProps } from "./enrolment-form.tsx";
import { RecoveryCodesForm } from "./recovery-codes-form.tsx";
import { StepsInOrder } from "./steps-in-order.tsx";

type Open =
  | { readonly kind: "enrolment"; readonly enrolment: Enrolment }
  | { readonly kind: "codes"; readonly codes: readonly string[] }
  | { readonly kind: "renew" | "remove" | "lost" };

/** The second factor: whether there is one, and all that can be done about it. `isLed`: the person is here for it. */
export function TwoFactorSection({
  user,
  isRequired,
  isLed,
}: {
  readonly user: User;
  /** By the device's policy. */
  readonly isRequired: boolean;
  readonly isLed: boolean;
}) {
  const [open, setOpen] = useState<Open | null>(null);
  const params = { id: user.id };
  const begin = useAction(async () => {
    // The password is asked for on the way.
    setOpen({ kind: "enrolment", enrolment: await call("setUpTwoFactor", { params }) });
  });
  const close = () => setOpen(null);
  const keptCodes = async () => {
    userChanged(await call("getMe"));
    close();
  };
  return (
    <Section title={t.ui.twoFactor}>
      {user.two_factor.enabled ? (
        <Enabled user={user} isRequired={isRequired} onOpen={(kind) => setOpen({ kind })} />
      ) : (
        <>
          <p>{isRequired ? t.enrolment.enrolText : t.enrolment.inviteText}</p>
          <ProblemView error={begin.error} />
          <div class="buttons">
            <Button
              kind={isRequired || isLed ? "primary" : "plain"}
              isBusy={begin.isBusy}
              onClick={() => void begin.run()}
            >
              {t.account.enrol}
            </Button>
          </div>
        </>
      )}
      {open?.kind === "enrolment" && (
        <EnrolmentDialog
          user={user}
          enrolment={open.enrolment}
          onEnabled={(codes) => setOpen({ kind: "codes", codes })}
          onAgain={() => {
            close();
            void begin.run();
          }}
          onClose={close}
        />
      )}
      {open?.kind === "codes" && (
        <RecoveryCodesDialog username={user.username} codes={open.codes} onKept={keptCodes} />
      )}
      {open?.kind === "renew" && (
        <ConfirmDialog
          title={t.account.renewCodes}
          verb={t.account.renewCodes}
          onConfirm={async () => {
            const { recovery_codes } = await call("makeRecoveryCodes", { params });
            setOpen({ kind: "codes", codes: recovery_codes });
          }}
          // It closes itself when it has succeeded, and the codes are there by then.
          onClose={() => setOpen((now) => (now?.kind === "renew" ? null : now))}
        >
          <p>{t.account.renewCodesText}</p>
        </ConfirmDialog>
      )}
      {open?.kind === "remove" && <RemoveFactorDialog user={user} onClose={close} />}
      {open?.kind === "lost" && <LostFactorDialog user={user} onClose={close} />}
    </Section>
  );
}

function Enabled({
  user,
  isRequired,
  onOpen,
}: {
  readonly user: User;
  readonly isRequired: boolean;
  readonly onOpen: (kind: "renew" | "remove" | "lost") => void;
}) {
  const { enrolled_at, recovery_codes_remaining: left } = user.two_factor;
  return (
    <>
      <Facts
        items={[
          [
            t.person.state,
            <Badge key="on" state="good">
              {t.account.on}
            </Badge>,
          ],
          [t.account.since, <Time key="since" at={enrolled_at} />],
          [
            t.account.codesLeft,
            left < fewCodes ? (
              <Badge key="left" state="attention">
                {t.account.fewCodes(left)}
              </Badge>
            ) : (
              String(left)
            ),
          ],
        ]}
      />
      <div class="buttons">
        <Button onClick={() => onOpen("renew")}>{t.account.renewCodes}</Button>
        <Button onClick={() => onOpen("lost")}>{t.account.lost}</Button>
        <Button
          kind="danger"
          why={isRequired ? t.account.requiredByPolicy : null}
          onClick={() => onOpen("remove")}
        >
          {t.account.remove}
        </Button>
      </div>
      {isRequired && <p class="hint">{t.account.requiredByPolicy}</p>}
    </>
  );
}

/** The first of two steps over the page of the account. */
function EnrolmentDialog({ onClose, ...given }: EnrolmentProps & { readonly onClose: () => void }) {
  return (
    <Dialog title={t.account.enrol} onClose={onClose}>
      <StepsInOrder label={t.account.steps} names={t.account.enrolmentSteps} now="authenticator" />
      <EnrolmentForm {...given} others={<Button onClick={onClose}>{t.ui.cancel}</Button>} />
    </Dialog>
  );
}

/** The second: it closes when the person says that the codes are kept. */
function RecoveryCodesDialog(given: ComponentProps<typeof RecoveryCodesForm>) {
  return (
    <Dialog title={t.enrolment.recoveryCodes}>
      <StepsInOrder label={t.account.steps} names={t.account.enrolmentSteps} now="codes" />
      <RecoveryCodesForm {...given} />
    </Dialog>
  );
}

interface FactorDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** The factor goes with password and code. */
function RemoveFactorDialog({ user, onClose }: FactorDialogProps) {
  return (
    <Dialog title={t.account.removeTitle} onClose={onClose}>
      <p>{t.account.removeText}</p>
      <Credentials
        username={user.username}
        verb={t.account.remove}
        onGiven={async ({ password, factor }) => {
          userChanged(
            await call("disableTwoFactor", { params: { id: user.id }, body: { password, ...factor } }),
          );
          toast(t.account.removed);
          onClose();
        }}
      />
    </Dialog>
  );
}

/** The factor goes with password and recovery code, whatever the policy: another authenticator can be set up then. */
function LostFactorDialog({ user, onClose }: FactorDialogProps) {
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  return (
    <ConfirmDialog
      title={t.account.lost}
      verb={t.account.removeLost}
      isDangerous
      onConfirm={async () => {
        const factor = { recovery_code: code };
        await signInWith({ username: user.username, password, factor, challengeToken: null, isLost: true });
        toast(t.account.removed);
      }}
      onClose={onClose}
    >
      <NameForManagers username={user.username} />
      <p>{t.account.lostText}</p>
      <PasswordField
        label={t.signIn.password}
        value={password}
        onInput={setPassword}
        autocomplete="current-password"
        isFirst
      />
      <TextField
        label={t.signIn.recoveryCode}
        hint={t.signIn.recoveryCodeHint}
        value={code}
        onInput={setCode}
        spellcheck={false}
      />
    </ConfirmDialog>
  );
}
