import { useRef, useState } from "preact/hooks";
import type { Settings, SettingsChange, Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";
import type { Resource } from "../client/use-resource.ts";
import { inTab } from "../kept.ts";
import { ActionButton, Button } from "../ui/button.tsx";
import { visible } from "../ui/visible.ts";

export interface StepProps {
  readonly settings: Resource<Settings>;
  readonly updates: Resource<Updates>;
  /** True: the end is next. */
  readonly isLast: boolean;
  onDone(): void;
  /** null: it is the first step. */
  readonly onBack: (() => void) | null;
}

/** Saves the change, unless another administrator made one since: then settings are read again, and the person decides. */
export async function saveSettings(settings: StepProps["settings"], body: SettingsChange): Promise<void> {
  if (Object.keys(body).length === 0) return;
  try {
    settings.put(await call("updateSettings", { body }, { ifMatch: settings.etag }));
  } catch (error) {
    if (codeOf(error) === "etag_mismatch") await settings.reload();
    throw error;
  }
}

/** A sentence on what another administrator has made of a setting since this step was opened; null: nothing. */
export function useTheirs(
  present: Settings,
  error: unknown,
): (of: (one: Settings) => string) => string | null {
  const first = useRef(present);
  const isLate = codeOf(error) === "etag_mismatch";
  return (of) =>
    isLate && of(first.current) !== of(present) ? t.firstRun.theirs(visible(of(present)) || "–") : null;
}

/** A step's entries, kept through reloads until the tab is closed. Never passwords: the browser writes them down. */
export function useKept<T extends object>(
  name: string,
  initial: T,
): [T, (change: Partial<T> | null) => void] {
  const key = `steward-setup-${name}`;
  const [typed, setTyped] = useState<Partial<T>>(() => JSON.parse(inTab.get(key) ?? "{}"));
  return [
    { ...initial, ...typed },
    (change) => {
      if (change === null) {
        inTab.remove(key);
        return setTyped({});
      }
      setTyped((before) => {
        const next = { ...before, ...change };
        inTab.set(key, JSON.stringify(next));
        return next;
      });
    },
  ];
}

/** The hint of a field, and the value that another administrator has saved meanwhile. */
export function Hint({ text, more }: { readonly text: string; readonly more: string | null }) {
  return (
    <>
      {text} {more !== null && <strong>{more}</strong>}
    </>
  );
}

/** The ways out of a step that is not done: later, never, or back. */
export function StepButtons({
  settings,
  needless,
  onDone,
  onBack,
}: Pick<StepProps, "settings" | "onDone" | "onBack"> & {
  /** The part that the device can do without. */
  readonly needless?: Settings["device"]["not_needed"][number];
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
        {t.ui.later}
      </Button>
      {needless && (
        <ActionButton kind="quiet" act={declare}>
          {t.firstRun.notNeeded}
        </ActionButton>
      )}
    </>
  );
}
