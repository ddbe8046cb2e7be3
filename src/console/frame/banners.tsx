import type { ComponentChildren } from "preact";
import type { Need, Status } from "../../contract/types.ts";
import { t, wordFor } from "../catalogue/words.ts";
import { isOutdated } from "../client/connection.ts";
import { Link } from "../navigation/link.tsx";
import { colourOf } from "../needs/how.ts";
import { NeedText } from "../needs/need-text.tsx";
import { needInWords } from "../needs/need-words.ts";
import { remedyOf } from "../needs/remedies.ts";
import { reload } from "../session/reload.ts";
import { fewCodes, me, restriction } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Banner } from "../ui/page.tsx";
import { brief, visible } from "../ui/visible.ts";
import { releaseName } from "../ui/words/update-format.ts";

/** Shows on every page what cannot wait. Home lists the other needs, and the device's name shows their number. */
export function Banners({ status, path }: { readonly status: Status | null; readonly path: string }) {
  const first = useStore(restriction);
  const { enabled, recovery_codes_remaining: codes } = me().two_factor;
  // Home lists it all.
  const needs = first !== null || path === "/" ? [] : (status?.needs ?? []).filter(isPressing);
  return (
    <div class="banners">
      {useStore(isOutdated) && (
        <Banner state="attention" action={<Button onClick={() => void reload()}>{t.frame.reload}</Button>}>
          {t.frame.outOfDate}
        </Banner>
      )}
      {first === "password_change_required" && (
        <Banner state="attention">{t.frame.passwordMustChange}</Banner>
      )}
      {first === "two_factor_enrolment_required" && <Banner state="attention">{t.frame.mustEnrol}</Banner>}
      {needs.map((need) => (
        <NeedBanner key={need.code} need={need} path={path} />
      ))}
      {first === null && path !== "/" && <RunningUpdate status={status} path={path} />}
      {first === null && enabled && codes < fewCodes && (
        <Lead to="/account" from={path} text={t.frame.codesLink}>
          {t.frame.fewCodes(codes)}
        </Lead>
      )}
    </div>
  );
}

/** An update under way may restart what a person is using: it names itself wherever they are. Home has a tile for it. */
function RunningUpdate({ status, path }: { readonly status: Status | null; readonly path: string }) {
  const summary = status?.updates?.summary;
  const sentence = summary && wordFor<(release: string) => string>(t.frame.running, summary.code);
  if (!summary || !sentence) return null;
  const names = summary.releases.map((one) =>
    releaseName({ ...one, name: brief(one.name ?? ""), version: brief(one.version ?? "") }),
  );
  return (
    <Lead state="unknown" to="/updates" from={path} text={t.frame.watch}>
      {visible(sentence(names.join(", ")))}
    </Lead>
  );
}

/** True: something does not work, or sign-ins and updates may be refused because of the clock. */
function isPressing({ code, level, facts }: Need): boolean {
  return level === "failing" || (code === "clock" && (facts as { trust?: string }).trust === "none");
}

function NeedBanner({ need, path }: { readonly need: Need; readonly path: string }) {
  const words = needInWords(need);
  if (words === null) return null;
  return (
    <Lead state={colourOf(need)} to={remedyOf(need).to} from={path} text={words.button}>
      {words.title}. <NeedText need={need} />
    </Lead>
  );
}

/** A banner that leads to where something can be done; not shown on that page, which says it itself. */
function Lead({
  state = "attention",
  to,
  from,
  text,
  children,
}: {
  readonly state?: "attention" | "wrong" | "unknown";
  readonly to: string;
  /** The path of the page that is shown. */
  readonly from: string;
  readonly text: string;
  readonly children: ComponentChildren;
}) {
  if (to === from) return null;
  return (
    <Banner state={state} action={<Link to={to}>{text}</Link>}>
      {children}
    </Banner>
  );
}
