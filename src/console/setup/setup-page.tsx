import { useEffect } from "preact/hooks";
import type { Settings, Updates } from "../../contract/types.ts";
import { device, greet } from "../client/connection.ts";
import { useResource } from "../client/use-resource.ts";
import { navigate, place } from "../navigation/navigation.ts";
import { isShown, me, restriction, session } from "../session/session.ts";
import { useStore } from "../store.ts";
import { useHead } from "../ui/focus.ts";
import { Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { DeviceStep } from "./device-step.tsx";
import { DoneStep } from "./done-step.tsx";
import { FactorStep } from "./factor-step.tsx";
import { FirstRun } from "./first-run.tsx";
import { SetupFrame, type SetupStep, setupSteps } from "./setup-frame.tsx";
import type { StepProps } from "./step.tsx";
import { UpdatesStep } from "./updates-step.tsx";
import "../styles/parts/account.css";
import "../styles/parts/setup.css";

/**
 * The steps behind the sign-in. The address names the present one, so that a reload and a new sign-in come back to it. The
 * device knows the steps that are done; the next step is the first behind this one that is not.
 */
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
