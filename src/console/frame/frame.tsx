import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { chooseLanguage } from "../catalogue/wanted-language.ts";
import { language, languageName, languages, t } from "../catalogue/words.ts";
import { device } from "../client/connection.ts";
import { accentColour } from "../client/face.ts";
import { Link } from "../navigation/link.tsx";
import { isUnsaved, navigate, place } from "../navigation/navigation.ts";
import { warningsAmong } from "../needs/how.ts";
import { isShown, me, restriction, session, signOut } from "../session/session.ts";
import { createStore, useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { ConnectionState, useIsAway } from "../ui/connection-state.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { showInIcon } from "../ui/favicon.ts";
import { focusContent } from "../ui/focus.ts";
import { MakerMark } from "../ui/maker.tsx";
import { Menu } from "../ui/menu.tsx";
import { bodyOf, needCount, Page, Skeleton, Tabs } from "../ui/page.tsx";
import { Shape } from "../ui/shape.tsx";
import { chooseTheme, chosenTheme, themes } from "../ui/theme.ts";
import { isolated } from "../ui/visible.ts";
import { Banners } from "./banners.tsx";
import { ClockState, useStatus } from "./clock-state.tsx";
import { useShown } from "./pages.ts";
import { NeedCount, Sections } from "./sections.tsx";

/** The frame of every page: the present page, the state of the clock, the user. */
export function Frame() {
  const { path } = useStore(place);
  useStore(session);
  const deviceName = useStore(device)?.name;
  const isLimited = useStore(restriction) !== null;
  const status = useStatus(isLimited).value;
  const isAway = useIsAway();
  const needs = warningsAmong(status?.needs ?? []).length;
  const colour = useStore(accentColour);
  useEffect(() => {
    needCount.set(needs);
    showInIcon(isAway || status === null ? null : needs === 0 ? "ok" : status.state);
  }, [needs, isAway, status?.state, colour]);
  const current = isLimited ? "/account" : pathOf(path);
  useEffect(() => {
    // A person who must first change the password or enrol keeps the address, and is led there afterwards.
    if (!isLimited && current !== path) void navigate(current, {}, { replace: true });
  }, [isLimited, current, path]);
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

/** The document about each page, below /docs/; a page within a section has that of the section. */
const documents: Readonly<Record<string, string>> = {
  "/": "console",
  "/users": "sign-in",
  "/account": "sign-in",
  "/system": "clock",
  "/system/device": "device",
  "/system/history": "console",
  "/system/settings": "settings",
  "/system/logs": "logs-and-events",
  "/system/events": "logs-and-events",
  "/updates": "updates/operate",
};

/** Under each page: its document, and the way in for programs. They open beside the page, whose entries stay. */
function Foot({ path }: { readonly path: string }) {
  const name = documents[path] ?? documents[`/${path.split("/")[1]}`] ?? "index";
  const link = (address: string, text: string) => (
    <a href={address} target="_blank" hreflang="en" rel="noopener">
      {text}
    </a>
  );
  return (
    <footer class="foot">
      {link(`/docs/${name}.html`, t.frame.help)}
      {link("/docs/api.html", "API")}
      {link("/api/openapi.json", "OpenAPI")}
      {link("/docs/metrics.html", t.frame.metrics)}
    </footer>
  );
}

function AccountMenu() {
  const { username } = me();
  const [theme, setTheme] = useState(chosenTheme);
  const others = languages().filter((one) => one !== language);
  return (
    <Menu
      label={`${t.frame.account}: ${username}`}
      text={username}
      shape="person"
      items={[
        { text: t.frame.account, onChoose: () => void navigate("/account") },
        ...others.map((one) => ({ text: languageName(one), onChoose: () => chooseLanguage(one) })),
        ...themes.map((one) => ({
          text: t.frame.themes[one],
          isChosen: one === theme,
          onChoose: () => {
            chooseTheme(one);
            setTheme(one);
          },
        })),
        { text: t.frame.signOut, onChoose: () => void signOut() },
      ]}
    />
  );
}

const isFinding = createStore(false);

function FindButton() {
  return (
    <Button kind="icon" label={`${t.frame.find} (${t.frame.findKeys})`} onClick={() => isFinding.set(true)}>
      <Shape name="find" />
    </Button>
  );
}

/** The search, once it is asked for: by the button, or by Ctrl-K from anywhere. */
function Finder() {
  const isOpen = useStore(isFinding);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      // Over another question it would take the answer away.
      if (document.querySelector("dialog[open]") === null) isFinding.set(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return isOpen ? <Palette onClose={() => isFinding.set(false)} /> : null;
}

const Palette = bodyOf("palette", 0);
