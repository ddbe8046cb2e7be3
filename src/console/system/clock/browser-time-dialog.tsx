import { absoluteTime } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { deviceNow } from "../../ui/device-time.ts";
import type { ClockActions } from "./clock-actions.ts";
import { browserInWords } from "./clock-words.ts";

/** Asks before the clock is set to this browser's, with both of them in sight. */
export function BrowserTimeDialog({
  actions,
  onClose,
}: {
  readonly actions: ClockActions;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={t.clock.byBrowserTitle}
      verb={t.clock.byBrowserVerb}
      onConfirm={actions.setByBrowser}
      onClose={onClose}
    >
      <p>
        {t.signIn.clockDiffers(absoluteTime(new Date(deviceNow())), absoluteTime(new Date()))}{" "}
        {t.clock.facts.browser}: {browserInWords()}.
      </p>
      <p>{t.clock.byBrowserText}</p>
    </ConfirmDialog>
  );
}
