import { relativeTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { deviceNow } from "../ui/device-time.ts";
import { Spoken } from "../ui/spoken.tsx";
import { reasonOf, timeIn } from "./waiting-reason.ts";

/** Why a release does not go on by itself, in the person's language where the reason is known. */
export function WhyWaiting({ hindrance }: { readonly hindrance: string }) {
  const reason = reasonOf(hindrance);
  if (reason === null) return <Spoken text={hindrance} />;
  const at = timeIn(hindrance);
  return <>{t.updates.waits[reason](at === null ? "" : fromNow(at))}</>;
}

/** Still to come, by the device's clock. */
export function isAhead(at: string): boolean {
  return Date.parse(at) > deviceNow();
}

/** A time of the device's, as people say it. */
export function fromNow(at: string): string {
  return relativeTime((Date.parse(at) - deviceNow()) / 1_000);
}
