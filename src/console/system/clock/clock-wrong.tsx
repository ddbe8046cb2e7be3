import type { ClockWord } from "../../../contract/clock/clock-word.ts";
import type { TimeSync } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { Link } from "../../navigation/link.tsx";
import { isOneOf } from "../../session/session.ts";
import { useIsAway } from "../../ui/connection-state.tsx";
import type { ClockProps } from "./clock-actions.ts";
import { BrowserTimeButton, mayBeByHand, SyncButton } from "./clock-buttons.tsx";
import { differenceInWords, isUnpolled } from "./clock-words.ts";

/** True where a person may have to put the clock right. While it is being measured, there is nothing to do yet. */
export function isInDoubt(status: TimeSync, word: ClockWord): boolean {
  if (status.state === "acquiring") return false;
  return word !== "in_sync" || mayBeByHand(status);
}

/** The device's clock compared with the browser's, the way to put it right, and what does not work until then. */
export function ClockWrong({ status, actions }: ClockProps) {
  const isAway = useIsAway();
  const isAlone = isUnpolled(status);
  const isByHand = mayBeByHand(status) && isOneOf("admin");
  const isUntrusted = status.trust === "none";
  return (
    <div class={isUntrusted ? "clock-wrong attention" : "clock-wrong"}>
      {!isAway && <p>{differenceInWords()}</p>}
      <div class="buttons">
        {isOneOf("admin", "operator") && !isAlone && (
          <SyncButton status={status} actions={actions} kind="primary" />
        )}
        {isByHand && (
          <BrowserTimeButton status={status} actions={actions} kind={isAlone ? "primary" : "plain"} />
        )}
        {isAlone && isOneOf("admin", "operator") && (
          <Link to="/system/settings" query={{ open: status.mode === "manual" ? "clock" : "time" }}>
            {t.clock.toSettings}
          </Link>
        )}
        {!isByHand && mayBeByHand(status) && <span class="hint">{t.clock.whoMay(isAlone)}</span>}
      </div>
      {isUntrusted && (
        <>
          <h3>{t.clock.broken}</h3>
          <ul class="bullets">
            {t.clock.brokenThings().map((thing) => (
              <li key={thing}>{thing}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
