import { useState } from "preact/hooks";
import type { TimeSync } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { Button, type ButtonProps } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import type { ClockProps } from "./clock-actions.ts";
import { differenceInWords, whyUnpolled } from "./clock-words.ts";

/** Asks the time servers and puts the clock right by them. */
export function SyncButton({ status, actions: { sync, reselect } }: ClockProps) {
  return (
    <Button
      kind="primary"
      isBusy={sync.isBusy}
      why={reselect.isBusy ? t.clock.whyBusy : whyUnpolled(status)}
      onClick={() => {
        reselect.forget();
        void sync.run();
      }}
    >
      {t.clock.sync}
    </Button>
  );
}

/** Asks all of them again, also those that were given up. */
export function ReselectButton({ status, actions: { sync, reselect } }: ClockProps) {
  return (
    <Button
      isBusy={reselect.isBusy}
      why={sync.isBusy ? t.clock.whyBusy : whyUnpolled(status)}
      onClick={() => {
        sync.forget();
        void reselect.run();
      }}
    >
      {t.clock.reselect}
    </Button>
  );
}

export function BrowserTimeButton({ status, actions, kind }: ClockProps & Pick<ButtonProps, "kind">) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button
        kind={kind ?? "plain"}
        why={mayBeByHand(status) ? null : t.clock.whyKept}
        onClick={() => setIsAsking(true)}
      >
        {t.clock.byBrowser}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t.clock.byBrowserTitle}
          verb={t.clock.byBrowserVerb}
          onConfirm={actions.setByBrowser}
          onClose={() => setIsAsking(false)}
        >
          <p>{differenceInWords()}</p>
          <p>{t.clock.byBrowserText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** True where the clock may be set by hand, by the agent's own rule. */
export function mayBeByHand({ mode, trust, state }: TimeSync): boolean {
  return mode === "manual" || trust === "none" || state === "manual";
}
