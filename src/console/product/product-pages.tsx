import { useEffect } from "preact/hooks";
import { language } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import type { ProductLinksProps } from "../client/parts.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { Page, Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";

/** A person comes from a page of the product to sign in, and goes back to where they were. */
function OpeningPage() {
  const { path } = useStore(place);
  const name = path.slice(productPrefix.length);
  const page = useResource("getStatus").value?.product?.pages.find((one) => one.name === name);
  const opening = useAction(async () => {
    const { location: there } = await call("enterPage", { params: { name }, body: { to: returnPath() } });
    location.replace(there);
  });
  useEffect(() => void opening.run(), [name]);
  return (
    <Page title={page ? pageTitle(page) : name}>
      <ProblemView error={opening.error} onRetry={() => void opening.run()} />
      {opening.error === null && <Skeleton />}
    </Page>
  );
}

const productPrefix = "/product/";

/** All that follows `to=`, as it is: a server that leads here by its own words cannot encode it. */
function returnPath(): string {
  const [, to = "/"] = location.search.split(/[?&]to=(.*)/s);
  return to;
}

/** The pages of the product, on another server, which knows by the sign-in here who comes. */
function ProductLinks({ product: { name, version, pages } }: ProductLinksProps) {
  return (
    <nav class="buttons" aria-label={name}>
      <bdi class="hint">{version === null ? name : `${name} ${version}`}</bdi>
      {pages.map((page) => (
        <a class="button" key={page.name} href={page.url}>
          {pageTitle(page)}
        </a>
      ))}
    </nav>
  );
}

/** The title of a page in the language that is spoken, if the maker has written one. */
export function pageTitle({ title }: ProductLinksProps["product"]["pages"][number]): string {
  return title[language as "de"] ?? title.en;
}

export { ProductLinks as Body };

export const pages = { "/product/*": OpeningPage };
