import { t } from "../catalogue/words.ts";
import { navigate } from "../navigation/navigation.ts";
import { isOneOf } from "../session/session.ts";
import type { Entry } from "./found.ts";

type Query = Readonly<Record<string, string>>;

type PageName = keyof typeof t.palette.words.pages;

type PlaceName = keyof typeof t.palette.places;

/** Pages, each with those who are not shown it. */
const pagePaths: readonly [path: PageName, text: () => string, isShown: () => boolean][] = [
  ["/", () => t.home.title, everybody],
  ["/users", () => t.frame.users, () => isOneOf("admin")],
  ["/system", () => t.frame.system, everybody],
  ["/updates", () => t.frame.updates, everybody],
  ["/system/settings", () => t.system.tabs.settings, everybody],
  ["/system/logs", () => t.system.tabs.logs, everybody],
  ["/system/events", () => t.system.tabs.events, () => !isOneOf("readonly")],
  ["/account", () => t.frame.account, everybody],
];

/** The things that people look for, each with the page that has it. `roles` absent: everybody. */
const placePaths: Readonly<Record<PlaceName, { to: string; query?: Query; roles?: readonly ["admin"] }>> = {
  addUser: { to: "/users", query: { user: "new" }, roles: ["admin"] },
  lockedUsers: { to: "/users", query: { state: "locked" }, roles: ["admin"] },
  clock: { to: "/system" },
  host: { to: "/system" },
  versions: { to: "/system" },
  hostName: { to: "/system", query: { manage: "names" } },
  timeZone: { to: "/system", query: { manage: "names" } },
  restart: { to: "/system", query: { manage: "reboot" }, roles: ["admin"] },
  powerOff: { to: "/system", query: { manage: "powerOff" }, roles: ["admin"] },
  reset: { to: "/system", query: { manage: "reset" }, roles: ["admin"] },
  sheet: { to: "/system" },
  password: { to: "/account" },
  factor: { to: "/account" },
  tokens: { to: "/account" },
  sessions: { to: "/account" },
  trust: { to: "/updates", query: { open: "trust" } },
  history: { to: "/updates", query: { open: "history" } },
  setup: { to: "/setup", roles: ["admin"] },
};

/** The pages that the role is shown. */
export function pages(): readonly Entry[] {
  return pagePaths
    .filter(([, , isShown]) => isShown())
    .map(([path, text]) => ({
      ...{ kind: "page", text: text(), words: t.palette.words.pages[path] },
      run: () => void navigate(path),
    }));
}

/** The things on these pages. */
export function places(): readonly Entry[] {
  return Object.entries(placePaths)
    .filter(([, { roles }]) => roles === undefined || isOneOf(...roles))
    .map(([name, { to, query }]) => ({
      kind: "place",
      text: t.palette.places[name as PlaceName],
      words: t.palette.words.places[name as PlaceName],
      run: () => void navigate(to, query),
    }));
}

function everybody(): boolean {
  return true;
}
