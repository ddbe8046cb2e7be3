import type { TimeSync } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { Link } from "../../navigation/link.tsx";
import { isNobodyAsked, nobodyInWords } from "./clock-words.ts";

/** What is broken while nobody vouches for the clock, and the ways out. */
export function Unvouched({ status }: { readonly status: TimeSync }) {
  // It is being found out at this moment; the badge says so.
  if (status.trust !== "none" || status.state === "acquiring") return null;
  const isNobody = isNobodyAsked(status);
  return (
    <div class="clock-unvouched">
      <h3>{t.clock.broken}</h3>
      <ul>
        {t.clock.brokenThings().map((thing) => (
          <li key={thing}>{thing}</li>
        ))}
      </ul>
      <h3>{t.clock.waysOut}</h3>
      <ul>
        <li>
          {isNobody ? nobodyInWords(status) : t.clock.wayBySync}{" "}
          {isNobody && <Link to="/system/settings">{t.clock.toSettings}</Link>}
        </li>
        <li>{t.clock.wayByBrowser}</li>
      </ul>
    </div>
  );
}
