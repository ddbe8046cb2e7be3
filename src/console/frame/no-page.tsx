import { t } from "../catalogue/words.ts";
import { Link } from "../navigation/link.tsx";
import { place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { Empty, Page } from "../ui/page.tsx";
import { visible } from "../ui/visible.ts";

export function NoPage() {
  const { path } = useStore(place);
  return (
    <Page title={t.frame.noPage}>
      <Empty>
        <p>{t.frame.noPageText(visible(path))}</p>
        <Link to="/">{t.frame.toHome}</Link>
      </Empty>
    </Page>
  );
}
