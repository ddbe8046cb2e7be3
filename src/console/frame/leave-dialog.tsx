import { t } from "../catalogue/words.ts";
import { lateWrite } from "../client/call.ts";
import { leaving } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";

/** Asked before something unsaved is left, or something that is shown this once. */
export function LeaveDialog() {
  const question = useStore(leaving);
  if (question === null) return null;
  const { isSecret } = question;
  return (
    <Dialog title={isSecret ? t.ui.shownOnce : t.ui.unsaved} onClose={() => question.stay()}>
      <p>{isSecret ? t.ui.shownOnceText : t.ui.unsavedText}</p>
      <div class="buttons">
        <Button kind="primary" onClick={() => question.stay()}>
          {t.ui.stay}
        </Button>
        <Button kind="danger" onClick={() => question.go()}>
          {isSecret ? t.ui.leaveSecret : t.ui.leave}
        </Button>
      </div>
    </Dialog>
  );
}

/** Asked where a change has waited too long for its answer, over the form that has sent it. */
export function LateDialog() {
  const late = useStore(lateWrite);
  if (late === null) return null;
  return (
    <Dialog title={t.problem.late.title} onClose={late.wait}>
      <p>{t.problem.perhaps}</p>
      <div class="buttons">
        <Button kind="primary" onClick={late.wait}>
          {t.problem.late.wait}
        </Button>
        <Button onClick={late.giveUp}>{t.problem.late.look}</Button>
      </div>
    </Dialog>
  );
}
