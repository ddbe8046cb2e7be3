import { t } from "../catalogue/words.ts";
import { ActionButton } from "../ui/button.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { download } from "../ui/download.ts";
import { csvName } from "./csv.ts";

/** Exports everything that matches as a table for a spreadsheet; `read` gives its text and the number of rows. */
export function ExportButton({
  about,
  read,
}: {
  /** Part of the file's name. */
  readonly about: string;
  readonly read: () => Promise<{ readonly text: string; readonly count: number }>;
}) {
  return (
    <ActionButton
      act={async () => {
        const { text, count } = await read();
        download(text, csvName(about), "text/csv;charset=utf-8");
        toast(t.lists.exported(count));
      }}
    >
      {t.lists.export}
    </ActionButton>
  );
}
