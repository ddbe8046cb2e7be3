import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ConsoleGreeting } from "../../contract/types.ts";
import { hasMark, markSaid } from "../client/face.ts";
import { useStore } from "../store.ts";

/** The maker of the product, with the address at which it helps. */
export function Maker({ name, support }: NonNullable<ConsoleGreeting["maker"]>) {
  return (
    <p class="maker">
      <bdi>{name}</bdi>
      {support !== null && <a href={`${schemeOf(support)}${support}`}>{support}</a>}
    </p>
  );
}

function schemeOf(address: string): string {
  if (address.startsWith("+")) return "tel:";
  return address.startsWith("https:") ? "" : "mailto:";
}

/** The mark of the maker; `children`: shown instead where it has none, or where the agent does not give it out. */
export function MakerMark({
  alt,
  children,
}: {
  /** None: the maker's name is beside it, or of no account there. */
  readonly alt?: string | undefined;
  readonly children?: ComponentChildren;
}) {
  if (!useStore(hasMark)) return <>{children}</>;
  return <img class="mark" src="/maker-mark" alt={alt ?? ""} onError={() => markSaid(false)} />;
}

/** A picture of the product, by which a person at a rack knows it; nothing where the agent gives none out. */
export function ProductPicture({ picture, alt }: { readonly picture: boolean; readonly alt: string }) {
  const [isGone, setGone] = useState(false);
  if (!picture || isGone) return null;
  return <img class="product" src="/maker-picture" alt={alt} onError={() => setGone(true)} />;
}
