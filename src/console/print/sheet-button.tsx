import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { loadPart } from "../client/parts.ts";
import { useAction } from "../client/use-action.ts";
import { Button } from "../ui/button.tsx";

/** Opens the sheet, which is loaded when it is asked for. */
export function SheetButton() {
  const [Body, setBody] = useState<ComponentType<{ readonly onClose: () => void }> | null>(null);
  const opening = useAction(async () => {
    const sheet = await loadPart("sheet");
    setBody(() => sheet.Body);
  });
  return (
    <>
      <Button isBusy={opening.isBusy} onClick={() => void opening.run()}>
        {t.facts.sheet}
      </Button>
      {Body && <Body onClose={() => setBody(null)} />}
    </>
  );
}
