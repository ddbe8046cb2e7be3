import { useRef } from "preact/hooks";
import type { Settings, SettingsChange, Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";
import type { Resource } from "../client/use-resource.ts";
import { visible } from "../ui/visible.ts";

/** The props of each step. */
export interface StepProps {
  readonly settings: Resource<Settings>;
  readonly updates: Resource<Updates>;
  /** True: Home is next. */
  readonly isLast: boolean;
  onDone(): void;
  /** null: it is the first step. */
  readonly onBack: (() => void) | null;
}

/**
 * Saves the change unless another administrator has changed the settings since they were read: then they are read again,
 * the entries stay, and the person decides.
 */
export async function saveSettings(settings: StepProps["settings"], body: SettingsChange): Promise<void> {
  if (Object.keys(body).length === 0) return;
  try {
    const options = settings.etag === null ? {} : { ifMatch: settings.etag };
    settings.put(await call("updateSettings", { body }, options));
  } catch (error) {
    if (codeOf(error) === "etag_mismatch") await settings.reload();
    throw error;
  }
}

/**
 * Says in a sentence what another administrator has made of one setting since this step was opened, if their change was
 * saved first; null: nothing.
 */
export function useTheirs(
  present: Settings,
  error: unknown,
): (of: (one: Settings) => string) => string | null {
  const first = useRef(present);
  const isLate = codeOf(error) === "etag_mismatch";
  return (of) =>
    isLate && of(first.current) !== of(present) ? t.firstRun.theirs(visible(of(present)) || "–") : null;
}
