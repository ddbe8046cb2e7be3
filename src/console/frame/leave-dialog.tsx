import { t } from "../catalogue/words.ts";
import { leaving } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";

/** Asked before a page with something unsaved is left. */
export function LeaveDialog() {
  const question = useStore(leaving);
  if (question === null) return null;
  return (
    <Dialog title={t.ui.unsaved} onClose={() => question.stay()}>
      <p>{t.ui.unsavedText}</p>
      <div class="buttons">
        <Button kind="primary" onClick={() => question.stay()}>
          {t.ui.stay}
        </Button>
        <Button kind="danger" onClick={() => question.go()}>
          {t.ui.leave}
        </Button>
      </div>
    </Dialog>
  );
}
