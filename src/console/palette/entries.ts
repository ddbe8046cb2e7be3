import { isFoundIn } from "../catalogue/formats.ts";
import { chooseLanguage } from "../catalogue/wanted-language.ts";
import { language, languageName, languages, t } from "../catalogue/words.ts";
import { chooseTheme, chosenTheme, themes } from "../frame/theme.ts";
import { navigate } from "../navigation/navigation.ts";
import { isOneOf, signOut } from "../session/session.ts";

/** Something that can be gone to, or done. */
export interface Entry {
  readonly kind: "page" | "user" | "setting" | "action";
  readonly text: string;
  /** What else it is found by. */
  readonly more?: string;
  run(): void;
}

/** Entries that are listed at once. */
const most = 10;

/** What is known here without asking the agent, as far as the role may go there. */
export function knownEntries(): readonly Entry[] {
  return [...pages(), ...actions(), ...settings()];
}

/** Those in which each word is found; what begins with the text comes first. Without a text: pages and actions. */
export function found(entries: readonly Entry[], sought: string): readonly Entry[] {
  const text = sought.trim();
  if (text === "") return entries.filter(({ kind }) => kind !== "setting").slice(0, most);
  const begins = ({ text: name }: Entry) =>
    name.toLocaleLowerCase(language).startsWith(text.toLocaleLowerCase(language));
  const isNamed = (entry: Entry) => isFoundIn(entry.text, text);
  const all = entries.filter((entry) => isFoundIn(`${entry.text}\n${entry.more ?? ""}`, text));
  const rank = (entry: Entry) => (begins(entry) ? 0 : isNamed(entry) ? 1 : 2);
  return all.toSorted((a, b) => rank(a) - rank(b)).slice(0, most);
}

/** A user of that name, whose sheet it opens. */
export function userEntry({
  id,
  username,
  display_name,
}: {
  id: string;
  username: string;
  display_name: string;
}): Entry {
  return {
    ...{ kind: "user", text: username, more: display_name },
    run: () => void navigate("/users", { user: id }),
  };
}

function pages(): Entry[] {
  const all: [path: string, text: string][] = [
    ["/", t.home.title],
    ...(isOneOf("admin") ? [["/users", t.frame.users] as [string, string]] : []),
    ["/system", t.frame.system],
    ["/updates", t.frame.updates],
    ["/system/settings", t.system.tabs.settings],
    ["/system/logs", t.system.tabs.logs],
    ...(isOneOf("readonly") ? [] : [["/system/events", t.system.tabs.events] as [string, string]]),
    ["/account", t.frame.account],
  ];
  return all.map(([path, text]) => ({ kind: "page", text, run: () => void navigate(path) }));
}

function settings(): Entry[] {
  return Object.entries(t.settings.words).map(([pointer, { label, hint }]) => ({
    ...{ kind: "setting", text: label, more: hint },
    run: () =>
      void (pointer.startsWith("/update/ota/")
        ? navigate("/updates", { open: "settings" })
        : navigate("/system/settings", { find: label })),
  }));
}

function actions(): Entry[] {
  const looks = themes.filter((one) => one !== chosenTheme());
  const others = languages().filter((one) => one !== language);
  return [
    ...looks.map((one) => ({
      ...{ kind: "action" as const, text: t.frame.themes[one] },
      run: () => chooseTheme(one),
    })),
    ...others.map((one) => ({
      ...{ kind: "action" as const, text: t.palette.speak(languageName(one)) },
      run: () => chooseLanguage(one),
    })),
    { kind: "action", text: t.frame.signOut, run: () => void signOut() },
  ];
}
