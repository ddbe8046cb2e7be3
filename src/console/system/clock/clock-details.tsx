import { useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { isOneOf } from "../../session/session.ts";
import { bodyOf } from "../../ui/part-body.tsx";
import type { ClockProps } from "./clock-actions.ts";
import { BrowserTimeButton, mayBeByHand, ReselectButton } from "./clock-buttons.tsx";

/** Behind a fold: table and figures; loaded and drawn while it is open. */
export function ClockDetails(props: ClockProps) {
  const { status } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="clock-details" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t.clock.details}</summary>
      {isOpen && (
        <Inside status={status}>
          {isOneOf("admin", "operator") && (
            <div class="buttons clock-rare">
              <ReselectButton {...props} />
              {isOneOf("admin") && !mayBeByHand(status) && <BrowserTimeButton {...props} />}
            </div>
          )}
        </Inside>
      )}
    </details>
  );
}

const Inside = bodyOf("clock", 6);
