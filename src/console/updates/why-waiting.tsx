import type { ReleaseHold } from "../../contract/types.ts";
import { relativeTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { deviceNow } from "../ui/device-time.ts";
import { Spoken } from "../ui/spoken.tsx";
import { reasonOf } from "./waiting-reason.ts";

/** Why a release is held, in the person's language where the reason is known. */
export function WhyWaiting({ hold }: { readonly hold: ReleaseHold }) {
  const reason = reasonOf(hold);
  if (reason === null) return <Spoken text={hold.detail} />;
  return <>{t.updates.waits[reason](hold.until === null ? "" : fromNow(hold.until))}</>;
}

/** Still to come, by the device's clock. */
export function isAhead(at: string): boolean {
  return Date.parse(at) > deviceNow();
}

/** A time of the device's, as people say it. */
export function fromNow(at: string): string {
  return relativeTime((Date.parse(at) - deviceNow()) / 1_000);
}
