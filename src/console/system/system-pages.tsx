import { t } from "../catalogue/words.ts";
import type { ClockResource } from "../frame/clock-state.tsx";
import { isOneOf } from "../session/session.ts";
import { Page } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { EventsPage } from "./events/events-page.tsx";
import { LogsPage } from "./logs/logs-page.tsx";
import { OverviewPage } from "./overview-page.tsx";
import { SettingsPage } from "./settings/settings-page.tsx";

/** The pages below /system. */
export function SystemPages({ path, clock }: { readonly path: string; readonly clock: ClockResource }) {
  const items = [
    { to: "/system", text: t.system.tabs.overview },
    { to: "/system/settings", text: t.system.tabs.settings },
    { to: "/system/logs", text: t.system.tabs.logs },
    ...(isOneOf("admin", "operator") ? [{ to: "/system/events", text: t.system.tabs.events }] : []),
  ];
  return (
    <Page title={t.frame.system}>
      <Tabs label={t.frame.system} items={items} current={path} />
      {path === "/system/settings" ? (
        <SettingsPage />
      ) : path === "/system/logs" ? (
        <LogsPage />
      ) : path === "/system/events" ? (
        <EventsPage />
      ) : (
        <OverviewPage clock={clock} />
      )}
    </Page>
  );
}
