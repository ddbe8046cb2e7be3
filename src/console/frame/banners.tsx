import type { Status } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { greeting } from "../client/connection.ts";
import { me, restriction } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Banner } from "../ui/page.tsx";
import { DeviceBanners } from "./device-banners.tsx";
import { Lead } from "./lead.tsx";

let versionAtStart: string | null = null;

/** Recovery codes below which it is time for new ones. */
const fewCodes = 3;

/** What needs a person, above every page. */
export function Banners({ status, path }: { readonly status: Status | null; readonly path: string }) {
  const first = useStore(restriction);
  const version = useStore(greeting)?.version ?? null;
  versionAtStart ??= version;
  const { enabled, recovery_codes_remaining: codes } = me().two_factor;
  // Home lists it all.
  const isShown = first === null && path !== "/";
  const isClockWrong = status !== null && status.clock.trust === "none";
  return (
    <div class="banners">
      {version !== versionAtStart && (
        <Banner
          state="attention"
          action={<Button onClick={() => location.reload()}>{t.frame.reload}</Button>}
        >
          {t.frame.outOfDate}
        </Banner>
      )}
      {first === "password_change_required" && (
        <Banner state="attention">{t.frame.passwordMustChange}</Banner>
      )}
      {first === "two_factor_enrolment_required" && <Banner state="attention">{t.frame.mustEnrol}</Banner>}
      {isShown && isClockWrong && (
        <Lead to="/system" from={path} text={t.frame.clockLink}>
          {t.frame.clockBanner}
        </Lead>
      )}
      {isShown && <DeviceBanners path={path} isClockSaid={isClockWrong} />}
      {first === null && enabled && codes < fewCodes && (
        <Lead to="/account" from={path} text={t.frame.codesLink}>
          {t.frame.fewCodes(codes)}
        </Lead>
      )}
    </div>
  );
}
