import { useEffect, useRef } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { greeting } from "../client/connection.ts";
import { Link } from "../navigation/link.tsx";
import { navigate, place } from "../navigation/navigation.ts";
import { isOneOf, restriction, session } from "../session/session.ts";
import { useStore } from "../store.ts";
import { ConnectionState } from "../ui/connection-state.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { focusContent } from "../ui/focus.ts";
import { Skeleton } from "../ui/page.tsx";
import { Shape } from "../ui/shape.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { Banners } from "./banners.tsx";
import { ClockState, useClock } from "./clock-state.tsx";
import { useShown } from "./pages.ts";
import { SystemTabs } from "./system-tabs.tsx";

/** What is round every page: where one is, how the clock is, who one is. */
export function Frame() {
  const { path } = useStore(place);
  useStore(session);
  const deviceName = useStore(greeting)?.device_name;
  const isLimited = useStore(restriction) !== null;
  const clock = useClock(isLimited);
  const current = isLimited ? "/account" : pathOf(path);
  useEffect(() => {
    if (current !== path) void navigate(current, {}, { replace: true });
  }, [current, path]);
  const shown = useShown(current);
  useFollowingFocus(shown?.path ?? "");
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t.frame.skip}
      </a>
      <header class="frame-head">
        <span class="device">
          <Shape name="device" />
          <span>{deviceName}</span>
        </span>
        <nav class="sections" aria-label={t.frame.sections}>
          {!isLimited &&
            sections().map(({ to, text }) => (
              <Link key={to} to={to} isCurrent={current === to || current.startsWith(`${to}/`)}>
                {text}
              </Link>
            ))}
        </nav>
        {!isLimited && <ClockState clock={clock} />}
        <AccountMenu />
        <ConnectionState />
      </header>
      <Banners clock={clock} path={current} />
      <main id="content" tabIndex={-1}>
        {shown === null ? (
          <Skeleton />
        ) : (
          <ErrorBoundary key={shown.path.split("/")[1]}>
            <SystemTabs path={shown.path}>
              <shown.Body clock={clock} />
            </SystemTabs>
          </ErrorBoundary>
        )}
      </main>
    </div>
  );
}

/**
 * After a step to another section the keyboard is at its head; within one it stays where it is, such as on a tab. `path`:
 * empty until a page is drawn: then the keyboard follows only if it waits in its place, as it does after a sign-in.
 */
function useFollowingFocus(path: string): void {
  const section = path.split("/")[1];
  const before = useRef({ path, section });
  useEffect(() => {
    const isFirst = before.current.path === "";
    const isOther = !isFirst && before.current.section !== section;
    const lostAt = isFirst ? document.getElementById("content") : document.body;
    const isLost = document.activeElement === lostAt && before.current.path !== path;
    if (isOther || isLost) focusContent();
    before.current = { path, section };
  }, [path]);
}

function sections(): { to: string; text: string }[] {
  return [
    ...(isOneOf("admin") ? [{ to: "/users", text: t.frame.users }] : []),
    { to: "/system", text: t.frame.system },
    { to: "/updates", text: t.frame.updates },
  ];
}

/** Where the role may go: who may not see the users begins with the system, a reader of logs with these. */
function pathOf(path: string): string {
  if (path === "/") return isOneOf("admin") ? "/users" : isOneOf("readonly") ? "/system/logs" : "/system";
  if (path === "/users" && !isOneOf("admin")) return "/system";
  if (path === "/system/events" && isOneOf("readonly")) return "/system/logs";
  return path;
}
