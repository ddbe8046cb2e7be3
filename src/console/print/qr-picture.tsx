import { useEffect, useState } from "preact/hooks";

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
