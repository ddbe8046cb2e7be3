import { useRef, useState } from "preact/hooks";
import type { Enrolment, User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { type Action, useAction } from "../client/use-action.ts";
import { navigate } from "../navigation/navigation.ts";
import { fewCodes, restriction, userChanged } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { Facts, Section } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { Time } from "../ui/time.tsx";
import { EnrolmentDialog, RecoveryCodesDialog } from "./enrolment-dialog.tsx";
import { LostFactorDialog, RemoveFactorDialog } from "./factor-dialogs.tsx";

type Open =
  | { readonly kind: "enrolment"; readonly enrolment: Enrolment }
  | { readonly kind: "codes"; readonly codes: readonly string[] }
  | { readonly kind: "renew" | "remove" | "lost" };

/** The second factor: whether there is one, and all that can be done about it. `isRequired`: by the device's policy. */
export function TwoFactorSection({
  user,
  isRequired,
}: {
  readonly user: User;
  readonly isRequired: boolean;
}) {
  const [open, setOpen] = useState<Open | null>(null);
  const params = { id: user.id };
  /** Nothing else was open when it began; the codes are kept after that has ended. */
  const isOnlyWay = useRef(false);
  const begin = useAction(async () => {
    isOnlyWay.current = restriction.read() !== null;
    // The password is asked for on the way.
    setOpen({ kind: "enrolment", enrolment: await call("setUpTwoFactor", { params }) });
  });
  const close = () => setOpen(null);
  const keptCodes = async () => {
    userChanged(await call("getMe"));
    close();
    if (isOnlyWay.current) await navigate("/");
  };
  return (
    <Section title={t.ui.twoFactor}>
      {user.two_factor.enabled ? (
        <Enabled user={user} isRequired={isRequired} onOpen={(kind) => setOpen({ kind })} />
      ) : (
        <Invitation begin={begin} isRequired={isRequired} />
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

function Invitation({ begin, isRequired }: { readonly begin: Action<[]>; readonly isRequired: boolean }) {
  return (
    <>
      <p>{isRequired ? t.account.enrolText : t.account.inviteText}</p>
      <ProblemView error={begin.error} />
      <div class="buttons">
        <Button kind="primary" isBusy={begin.isBusy} onClick={() => void begin.run()}>
          {t.account.enrol}
        </Button>
      </div>
    </>
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
