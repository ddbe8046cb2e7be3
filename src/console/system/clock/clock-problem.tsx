import { useState } from "preact/hooks";
import type { TimeSync } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { codeOf } from "../../client/problem.ts";
import { isOneOf } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import type { ClockProps } from "./clock-actions.ts";
import { offsetInWords } from "./clock-words.ts";

/** Says why a requested measurement did not correct the clock, and what to do. */
export function ClockProblem({ status, actions }: ClockProps) {
  const [isAsking, setIsAsking] = useState(false);
  const error = actions.sync.error ?? actions.reselect.error;
  const code = codeOf(error);
  const advice = (t.clock.advice as Readonly<Record<string, string>>)[code ?? ""];
  const isPanic = code === "panic_threshold";
  return (
    <>
      <ProblemView error={error} advice={advice} />
      {isPanic && !isOneOf("admin") && <p>{t.clock.forceByAdmin}</p>}
      {isPanic && isOneOf("admin") && (
        <div class="buttons">
          <Button kind="danger" onClick={() => setIsAsking(true)}>
            {t.clock.force}
          </Button>
        </div>
      )}
      {isAsking && (
        <ConfirmDialog
          title={t.clock.forceTitle}
          verb={t.clock.force}
          isDangerous
          onConfirm={actions.force}
          onClose={() => setIsAsking(false)}
        >
          <p>{t.clock.forceText(offsetInWords(lackSeconds(status)))}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function lackSeconds({ sources }: TimeSync): number {
  return sources.find(({ state }) => state === "selected")?.offset_seconds ?? 0;
}
