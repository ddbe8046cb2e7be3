import { useEffect } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { useResource } from "../client/use-resource.ts";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { Skeleton } from "../ui/page.tsx";
import { ReadProblem } from "../ui/problem-view.tsx";
import { visible } from "../ui/visible.ts";
import { changeQuery, longestSearch } from "./users-query.ts";

/** Goes on to the sheet of the user whose name is in the address: `?user=ana`. */
export function UserByName({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const found = useResource("listUsers", { query: { q: name.slice(0, longestSearch), limit: 200 } });
  const id = found.value?.items.find(({ username }) => username === name.toLowerCase())?.id;
  useEffect(() => {
    if (id !== undefined) changeQuery({ user: id });
  }, [id]);
  return (
    <Dialog title={visible(name)} shape="sheet" onClose={onClose}>
      <ReadProblem of={[found]} />
      {found.error === null &&
        (found.value === null || id !== undefined ? <Skeleton lines={12} /> : <p>{t.users.unknown}</p>)}
    </Dialog>
  );
}
