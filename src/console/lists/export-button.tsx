import { t } from "../catalogue/words.ts";
import { useAction } from "../client/use-action.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { saveCsv } from "./csv.ts";

/** Hands over all that matches as a table for a spreadsheet; `read` gives its text and how many rows it has. */
export function ExportButton({
  about,
  read,
}: {
  /** In the file's name. */
  readonly about: string;
  readonly read: () => Promise<{ readonly text: string; readonly count: number }>;
}) {
  const action = useAction(async () => {
    const { text, count } = await read();
    saveCsv(about, text);
    toast(t.lists.exported(count));
  });
  return (
    <>
      <Button isBusy={action.isBusy} onClick={() => void action.run()}>
        {t.lists.export}
      </Button>
      <ProblemView error={action.error} />
    </>
  );
}
