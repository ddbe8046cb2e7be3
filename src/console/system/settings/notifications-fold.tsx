import { useEffect, useState } from "preact/hooks";
import type { Settings } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { usePart } from "../../client/parts.ts";
import { navigate, place } from "../../navigation/navigation.ts";
import { isOneOf } from "../../session/session.ts";
import { useStore } from "../../store.ts";
import { Skeleton } from "../../ui/page.tsx";

/**
 * The receivers of messages, which are saved one by one and not with the form above. Their code is loaded when they are
 * opened: by hand, by a search that finds them, or by `?open=notifications` in the address.
 */
export function NotificationsFold({
  notify,
  isFound,
}: {
  readonly notify: Settings["notify"];
  readonly isFound: boolean;
}) {
  const { path, query } = useStore(place);
  const isAsked = query.open === "notifications";
  const [isOpen, setIsOpen] = useState(isAsked);
  useEffect(() => {
    if (isAsked || isFound) setIsOpen(true);
  }, [isAsked, isFound]);
  const title = t.settings.groups.notifications;
  return (
    <section aria-label={title}>
      <details
        class="settings-fold"
        open={isOpen}
        onToggle={({ currentTarget: { open } }) => {
          setIsOpen(open);
          const { open: _, ...rest } = query;
          if (!open && isAsked) void navigate(path, rest, { replace: true });
        }}
      >
        <summary>
          <h2>{title}</h2>
          <span class="hint">{inShort(notify)}</span>
        </summary>
        {isOpen && (isOneOf("readonly") ? <p>{t.settings.hidden}</p> : <Opened />)}
      </details>
    </section>
  );
}

function Opened() {
  const part = usePart("notifications");
  return part === null ? <Skeleton lines={8} /> : <part.Body />;
}

function inShort({ receivers }: Settings["notify"]): string {
  if (isOneOf("readonly")) return "";
  return receivers.map(({ name }) => name).join(", ") || t.settings.none;
}
