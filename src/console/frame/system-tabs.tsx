import type { ComponentChildren } from "preact";
import { t } from "../catalogue/words.ts";
import { isOneOf } from "../session/session.ts";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";

/** Round a page below /system: its title, and the tabs that lead to the others. Any other page stays as it is. */
export function SystemTabs({
  path,
  children,
}: {
  readonly path: string;
  readonly children: ComponentChildren;
}) {
  if (["/users", "/updates", "/account"].includes(path)) return children;
  const items = [
    { to: "/system", text: t.system.tabs.overview },
    { to: "/system/settings", text: t.system.tabs.settings },
    { to: "/system/logs", text: t.system.tabs.logs },
    ...(isOneOf("admin", "operator") ? [{ to: "/system/events", text: t.system.tabs.events }] : []),
  ];
  return (
    <Page title={t.frame.system}>
      <Tabs label={t.frame.system} items={items} current={path} />
      {children}
    </Page>
  );
}
