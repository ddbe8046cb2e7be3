import type { Settings } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import type { Resource } from "../client/use-resource.ts";
import { ActionButton, Button } from "../ui/button.tsx";

/** The ways out of a step that is not done: later, never, or back. */
export function StepButtons({
  settings,
  needless,
  onDone,
  onBack,
}: {
  readonly settings: Resource<Settings>;
  /** The part that the device can do without. */
  readonly needless?: Settings["device"]["not_needed"][number];
  onDone(): void;
  readonly onBack: (() => void) | null;
}) {
  const declare = async (): Promise<void> => {
    const before = settings.value?.device.not_needed ?? [];
    const not_needed = [...before.filter((one) => one !== needless), ...(needless ? [needless] : [])];
    settings.put(await call("updateSettings", { body: { device: { not_needed } } }));
    onDone();
  };
  return (
    <>
      {onBack && (
        <Button kind="quiet" onClick={onBack}>
          {t.firstRun.back}
        </Button>
      )}
      <Button kind="quiet" onClick={onDone}>
        {t.firstRun.later}
      </Button>
      {needless && (
        <ActionButton kind="quiet" act={declare}>
          {t.firstRun.notNeeded}
        </ActionButton>
      )}
    </>
  );
}
