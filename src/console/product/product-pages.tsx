import { useEffect } from "preact/hooks";
import { language, t, wordFor } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import type { ProductLinksProps } from "../client/parts.ts";
import { codeOf } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { Page, Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { isolated } from "../ui/visible.ts";

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
  const title = page ? pageTitle(page) : name;
  // The texts come with the first problem, if they can be loaded.
  const advice = t.productPages && wordFor<string>(t.productPages, codeOf(opening.error) ?? "");
  return (
    <Page title={isolated(title)} head={<Title text={title} />}>
      <ProblemView error={opening.error} advice={advice} onRetry={() => void opening.run()} />
      {opening.error === null && <Skeleton />}
    </Page>
  );
}

function Title({ text }: { readonly text: string }) {
  return (
    <h1 tabIndex={-1}>
      <bdi>{text}</bdi>
    </h1>
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
          <bdi>{pageTitle(page)}</bdi>
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
