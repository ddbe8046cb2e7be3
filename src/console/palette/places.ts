import { t } from "../catalogue/words.ts";
import { navigate } from "../navigation/navigation.ts";
import { isOneOf, isShown } from "../session/session.ts";
import type { Entry } from "./found.ts";

type Query = Readonly<Record<string, string>>;

type PageName = keyof typeof t.palette.words.pages;

type PlaceName = keyof typeof t.palette.places;

const pageTexts: Readonly<Record<PageName, () => string>> = {
  "/": () => t.home.title,
  "/users": () => t.frame.users,
  "/system": () => t.frame.system,
  "/updates": () => t.frame.updates,
  "/system/device": () => t.system.tabs.device,
  "/system/settings": () => t.system.tabs.settings,
  "/system/logs": () => t.system.tabs.logs,
  "/system/events": () => t.system.tabs.events,
  "/system/history": () => t.system.tabs.history,
  "/account": () => t.frame.account,
};

/** The things that people look for, each with the page that has it. `roles` absent: everybody. */
const placePaths: Readonly<Record<PlaceName, { to: string; query?: Query; roles?: readonly ["admin"] }>> = {
  addUser: { to: "/users", query: { user: "new" } },
  lockedUsers: { to: "/users", query: { state: "locked" } },
  clock: { to: "/system" },
  host: { to: "/system" },
  versions: { to: "/system" },
  hostName: { to: "/system/device", query: { open: "host_name" } },
  timeZone: { to: "/system/device", query: { open: "time_zone" } },
  backup: { to: "/system/device", query: { open: "backup" }, roles: ["admin"] },
  bundle: { to: "/system/device", roles: ["admin"] },
  restart: { to: "/system/device", query: { open: "reboot" }, roles: ["admin"] },
  powerOff: { to: "/system/device", query: { open: "powerOff" }, roles: ["admin"] },
  reset: { to: "/system/device", query: { open: "reset" }, roles: ["admin"] },
  sheet: { to: "/system/device", query: { open: "sheet" } },
  password: { to: "/account" },
  factor: { to: "/account" },
  tokens: { to: "/account" },
  sessions: { to: "/account" },
  trust: { to: "/updates", query: { open: "trust" } },
  history: { to: "/updates", query: { open: "history" } },
  setup: { to: "/setup" },
};

export function pages(): readonly Entry[] {
  return (Object.keys(pageTexts) as PageName[])
    .filter(isShown)
    .map((path) => ({
      kind: "page",
      text: pageTexts[path](),
      words: t.palette.words.pages[path],
      run: () => void navigate(path),
    }));
}

export function places(): readonly Entry[] {
  return Object.entries(placePaths)
    .filter(([, { to, roles }]) => isShown(to) && (roles === undefined || isOneOf(...roles)))
    .map(([name, { to, query }]) => ({
      kind: "place",
      text: t.palette.places[name as PlaceName],
      words: t.palette.words.places[name as PlaceName],
      run: () => void navigate(to, query),
    }));
}
