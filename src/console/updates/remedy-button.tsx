import type { UpdateRemedy } from "../../contract/updates/update-summaries.ts";
import { t } from "../catalogue/words.ts";
import { Link } from "../navigation/link.tsx";
import { isOneOf } from "../session/session.ts";
import { Button } from "../ui/button.tsx";

/** The places that remedies lead to: parts of this page, and other pages. */
const places = {
  settings: ["/updates", { open: "settings" }],
  trust: ["/updates", { open: "trust" }],
  clock: ["/system", {}],
  logs: ["/system/logs", {}],
} as const;

/** The one button that leads on from a problem, for those who can do something with it. */
export function RemedyButton({
  remedy,
  onCheck,
}: {
  readonly remedy: UpdateRemedy;
  /** Absent: a button for it is in sight already. */
  readonly onCheck?: () => void;
}) {
  if (remedy === null || remedy === "apply" || !isOneOf("admin", "operator")) return null;
  if (remedy === "check")
    return onCheck ? <Button onClick={onCheck}>{t.updates.remedies.check}</Button> : null;
  const [to, query] = places[remedy];
  return (
    <Link to={to} query={query} className="button">
      {t.updates.remedies[remedy]}
    </Link>
  );
}
