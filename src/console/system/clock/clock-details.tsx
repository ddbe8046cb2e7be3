import { useState } from "preact/hooks";
import type { TimeSync } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { usePart } from "../../client/parts.ts";
import { isOneOf } from "../../session/session.ts";
import { Skeleton } from "../../ui/page.tsx";
import type { ClockActions } from "./clock-actions.ts";
import { BrowserTimeButton, mayBeByHand, ReselectButton } from "./clock-buttons.tsx";

interface DetailsProps {
  readonly status: TimeSync;
  readonly actions: ClockActions;
}

/** Behind a fold: table and figures; loaded and drawn while it is open. */
export function ClockDetails({ status, actions }: DetailsProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="clock-details" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t.clock.details}</summary>
      {isOpen && <Inside status={status} actions={actions} />}
    </details>
  );
}

function Inside({ status, actions }: DetailsProps) {
  const clock = usePart("clock");
  if (clock === null) return <Skeleton lines={6} />;
  return (
    <clock.Body status={status}>
      {isOneOf("admin", "operator") && (
        <div class="buttons clock-rare">
          <ReselectButton status={status} actions={actions} />
          {isOneOf("admin") && !mayBeByHand(status) && (
            <BrowserTimeButton status={status} actions={actions} />
          )}
        </div>
      )}
    </clock.Body>
  );
}
