import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A line to write on, for what the console does not know. */
export const blank = "_".repeat(24);

/** Printed instead of the page around it (styles/pages.css), black on white. `isShown`: also on the screen. */
export function Paper({
  title,
  isShown = false,
  children,
}: {
  readonly title: string;
  readonly isShown?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={isShown ? "paper shown" : "paper"} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A QR code as a picture: nothing in the document could be more than that. */
export function QrPicture({ svg, alt }: { readonly svg: string; readonly alt: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [svg]);
  return <img class="account-qr" src={address} alt={alt} width="200" height="200" />;
}
