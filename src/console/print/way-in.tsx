import { useMemo } from "preact/hooks";
import { renderSVG } from "uqr";
import type { Tls } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { useResource } from "../client/use-resource.ts";

/** The address of the console for people who are handed it, and its QR code. */
export interface WayIn {
  readonly address: string;
  readonly qr: string;
}

/** undefined: it is not known yet; null: others have no address. */
export function useWayIn(): WayIn | null | undefined {
  const { value, error } = useResource("getTls");
  const address = addressForOthers(location.origin, value);
  const way = useMemo(
    () => address && { address, qr: renderSVG(address, { ecc: "M", border: 2 }) },
    [address],
  );
  return way || (value || error ? null : undefined);
}

/** Says that others cannot use the address of this page, and where they get one. */
export function NoWayIn() {
  return <>{t.wayIn.onlyHere}</>;
}

/** This page's address, or one of HTTPS on the LAN where this leads others to themselves. `tls`: null if unreadable. */
export function addressForOthers(origin: string, tls: Tls | null): string | null {
  const hostname = (url: string) => new URL(url).hostname;
  const isForOthers = !/^((.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(hostname(origin));
  const reached = isForOthers ? [origin] : tls?.listening ? tls.urls : [];
  // A name without a dot is found only where the network's name server knows it.
  const found = reached.find((one) => hostname(one).includes(".")) ?? reached[0];
  return found ? `${found}/` : null;
}
