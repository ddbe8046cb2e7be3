import type { Settings } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { usePart } from "../../client/parts.ts";
import { isOneOf } from "../../session/session.ts";
import { Skeleton } from "../../ui/page.tsx";

/** The receivers of messages, which are saved one by one. Their code is loaded when they are shown; paper has their names. */
export function NotificationsBody({
  notify: { receivers },
  isShown,
}: {
  readonly notify: Settings["notify"];
  readonly isShown: boolean;
}) {
  if (isOneOf("readonly")) return <p>{t.settings.hidden}</p>;
  if (isShown) return <Receivers />;
  return <p>{receivers.map(({ name }) => name).join(", ") || t.settings.none}</p>;
}

function Receivers() {
  const part = usePart("notifications");
  return part === null ? <Skeleton lines={8} /> : <part.Body />;
}
