import type { Settings } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { isOneOf } from "../../session/session.ts";
import { bodyOf } from "../../ui/part-body.tsx";

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

const Receivers = bodyOf("notifications", 8);
