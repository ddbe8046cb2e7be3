import { useEffect, useState } from "preact/hooks";
import type { Enrolment, Settings, Updates } from "../../contract/types.ts";
import { EnrolmentForm } from "../account/enrolment-form.tsx";
import { RecoveryCodesForm } from "../account/recovery-codes-form.tsx";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { device, greet } from "../client/connection.ts";
import { usePart } from "../client/parts.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { navigate, place } from "../navigation/navigation.ts";
import { useUnsaved } from "../navigation/use-unsaved.ts";
import { isShown, me, restriction, session, userChanged } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { useHead } from "../ui/focus.ts";
import { Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { DeviceStep } from "./device-step.tsx";
import { FirstRun } from "./first-run.tsx";
import { SetupFrame, type SetupStep, setupSteps } from "./setup-frame.tsx";
import { StepButtons, type StepProps } from "./step.tsx";
import { UpdatesStep } from "./updates-step.tsx";
import "../styles/parts/account.css";
import "../styles/parts/setup.css";

/** The steps behind the sign-in. The address names the present one; the next is the first behind it not yet done. */
export function SetupPage() {
  useStore(session);
  const first = useStore(restriction);
  const settings = useResource("getSettings");
  const updates = useResource("getUpdates");
  const wanted = useStore(place).query.step;
  const steps = setupSteps.slice(1);
  const isDone = (step: SetupStep) => stepIsDone(step, settings.value, updates.value);
  const isKnown = settings.value !== null && updates.value !== null;
  const open = first === null ? [...steps, "done" as const].find((one) => one === wanted) : "factor";
  const now = open ?? (isKnown ? steps.find((one) => !isDone(one)) : undefined);
  const mayBeHere = isShown("/setup") && first !== "password_change_required";
  useEffect(() => {
    if (!mayBeHere || (isKnown && now === undefined)) void navigate("/", {}, { replace: true });
  }, [mayBeHere, isKnown, now]);
  // A page that finds its session again does not know the device's name yet.
  useEffect(() => {
    if (device.read() === null) void greet();
  }, []);
  useHead(now);
  if (now === undefined || !mayBeHere) return <Skeleton />;
  if (now === "done")
    return (
      <SetupFrame now={now} isDone={isDone}>
        {isKnown ? <DoneStep left={steps.filter((one) => !isDone(one))} /> : <Skeleton />}
      </SetupFrame>
    );
  const next = steps.slice(steps.indexOf(now) + 1).find((one) => !isDone(one));
  const before = steps[steps.indexOf(now) - 1];
  const props: StepProps = {
    settings,
    updates,
    isLast: next === undefined,
    onDone: () => void navigate("/setup", { step: next ?? "done" }),
    onBack: before === undefined ? null : () => void navigate("/setup", { step: before }),
  };
  return (
    <SetupFrame now={now} isDone={isDone}>
      <ProblemView error={first === null ? (settings.error ?? updates.error) : null} />
      {now === "factor" && <FactorStep {...props} />}
      {now === "device" && (settings.value ? <DeviceStep {...props} /> : <Skeleton />)}
      {now === "updates" && (isKnown ? <UpdatesStep {...props} /> : <Skeleton />)}
    </SetupFrame>
  );
}

/** True once the state of the device shows it: another person may have done the step, or root on the command line. */
function stepIsDone(step: SetupStep, settings: Settings | null, updates: Updates | null): boolean {
  if (step === "password") return true;
  const isNeedless = (code: Settings["device"]["not_needed"][number]) =>
    settings?.device.not_needed.includes(code) ?? false;
  if (step === "factor") return me().two_factor.enabled || isNeedless("second_factor_advised");
  if (step === "device") return (settings?.device.name ?? "") !== "";
  const isSet = (settings?.update.ota.server ?? "") !== "" && (updates?.trust.confirmed ?? false);
  return isSet || isNeedless("updates_not_set_up");
}

export { FirstRun as Body, SetupPage as Page };

/** The end of the first run: a sheet for the device's file, and what was left for later. */
function DoneStep({ left }: { readonly left: readonly SetupStep[] }) {
  const sheet = usePart("sheet");
  const { username, two_factor } = me();
  const home = (
    <Button kind="primary" onClick={() => void navigate("/")}>
      {t.frame.toHome}
    </Button>
  );
  return (
    <>
      {left.length > 0 && (
        <p>{t.firstRun.leftForLater(left.map((step) => t.firstRun.stepNames[step]).join(", "))}</p>
      )}
      <p>{t.firstRun.sheetText}</p>
      {sheet === null ? (
        <Skeleton lines={8} />
      ) : (
        <sheet.Paper note={two_factor.enabled && <p>{t.firstRun.codesApart(username)}</p>} others={home} />
      )}
    </>
  );
}

/** The authenticator of the administrator: its QR code at once, then the recovery codes. */
function FactorStep({ settings, updates, onDone, onBack }: StepProps) {
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
        <h3>{t.enrolment.recoveryCodes}</h3>
        <RecoveryCodesForm username={user.username} codes={codes} onKept={keptCodes} />
      </>
    );
  }
  if (user.two_factor.enabled)
    return (
      <>
        <p>
          <Badge state="good">{t.firstRun.factorOn(user.two_factor.recovery_codes_remaining)}</Badge>
        </p>
        <div class="buttons">
          <Button kind="primary" onClick={onDone}>
            {t.ui.goOn}
          </Button>
        </div>
      </>
    );
  const others = !isRequired && (
    <StepButtons {...{ settings, onDone, onBack }} needless="second_factor_advised" />
  );
  return (
    <>
      <p>{isRequired ? t.enrolment.enrolText : t.enrolment.inviteText}</p>
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
