import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { device } from "../client/connection.ts";
import { accentColour } from "../client/face.ts";
import { Link } from "../navigation/link.tsx";
import { isUnsaved, navigate, place } from "../navigation/navigation.ts";
import { isShown, restriction, session } from "../session/session.ts";
import { useStore } from "../store.ts";
import { ConnectionState, useIsAway } from "../ui/connection-state.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { showInIcon } from "../ui/favicon.ts";
import { focusContent } from "../ui/focus.ts";
import { MakerMark } from "../ui/maker.tsx";
import { needCount, Page, Skeleton } from "../ui/page.tsx";
import { Shape } from "../ui/shape.tsx";
import { isolated } from "../ui/visible.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Banners } from "./banners.tsx";
import { ClockState, useStatus } from "./clock-state.tsx";
import { FindButton, Finder } from "./find-button.tsx";
import { Foot } from "./foot.tsx";
import { useShown } from "./pages.ts";
import { NeedCount, Sections } from "./sections.tsx";
import { Tabs } from "./tabs.tsx";

/** The frame of every page: the present page, the state of the clock, the user. */
export function Frame() {
  const { path } = useStore(place);
  useStore(session);
  const deviceName = useStore(device)?.name;
  const isLimited = useStore(restriction) !== null;
  const status = useStatus(isLimited).value;
  const isAway = useIsAway();
  const needs = status?.needs.length ?? 0;
  const colour = useStore(accentColour);
  useEffect(() => {
    needCount.set(needs);
    showInIcon(isAway ? null : (status?.state ?? null));
  }, [needs, isAway, status?.state, colour]);
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
        <Link to={isLimited ? "/account" : "/"} className="device" isCurrent={current === "/"}>
          <MakerMark>
            <Shape name="device" />
          </MakerMark>
          <span class="device-name">
            <span class="unseen">{t.home.title}: </span>
            {isolated(deviceName ?? "")}
          </span>
          <NeedCount needs={current === "/" ? 0 : needs} />
        </Link>
        <Sections current={isLimited ? null : current} needs={needs} />
        {!isLimited && <ClockState status={status} />}
        {!isLimited && <FindButton />}
        <AccountMenu />
        <ConnectionState isOverFacts />
      </header>
      {!isLimited && <Finder />}
      <Banners status={status} path={current} />
      <main id="content" tabIndex={-1}>
        {shown === null ? (
          <Skeleton />
        ) : (
          <ErrorBoundary key={shown.path.split("/")[1]}>
            <SystemTabs path={shown.path}>
              <shown.Body />
            </SystemTabs>
          </ErrorBoundary>
        )}
      </main>
      <Foot path={current} />
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

/** A page that the role may see. Unsaved entries stay even if the role is taken away meanwhile. */
function pathOf(path: string): string {
  if (isUnsaved() || isShown(path)) return path;
  return path.startsWith("/users") ? "/system" : "/system/logs";
}

/** Round a page below /system: its title, and the tabs, named as the paths end. Any other page stays as it is. */
function SystemTabs({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  const items = Object.entries(t.system.tabs)
    .map(([name, text]) => ({ to: name === "overview" ? "/system" : `/system/${name}`, text }))
    .filter(({ to }) => isShown(to));
  if (!items.some(({ to }) => to === path)) return children;
  return (
    <Page title={t.frame.system}>
      <Tabs label={t.frame.system} items={items} current={path} />
      {children}
    </Page>
  );
}
