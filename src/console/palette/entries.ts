import { chooseLanguage } from "../catalogue/wanted-language.ts";
import { language, languageName, languages, t, wordFor } from "../catalogue/words.ts";
import { navigate } from "../navigation/navigation.ts";
import { personPath } from "../navigation/paths.ts";
import { signOut } from "../session/session.ts";
import { chooseTheme, chosenTheme, themes } from "../ui/theme.ts";
import type { Entry } from "./found.ts";
import { pages, places } from "./places.ts";

/** Entries that need no answer of the agent, as far as the role may use them. */
export function knownEntries(): readonly Entry[] {
  return [...pages(), ...actions(), ...places(), ...settings()];
}

/** A user of that name, whose page it opens. */
export function userEntry({ username, display_name }: { username: string; display_name: string }): Entry {
  return { kind: "user", text: username, more: display_name, run: () => void navigate(personPath(username)) };
}

function settings(): Entry[] {
  return Object.entries(t.settings.words).map(([pointer, { label, hint }]) => ({
    kind: "setting",
    text: label,
    words: wordFor<string>(t.settings.also, pointer) ?? "",
    more: hint,
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
      kind: "action" as const,
      text: t.frame.themes[one],
      words: t.palette.words.looks,
      run: () => chooseTheme(one),
    })),
    ...others.map((one) => ({
      kind: "action" as const,
      text: t.palette.speak(languageName(one)),
      run: () => chooseLanguage(one),
    })),
    { kind: "action", text: t.frame.signOut, words: t.palette.words.signOut, run: () => void signOut() },
  ];
}
