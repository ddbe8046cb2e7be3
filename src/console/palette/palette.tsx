import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { folded, isFoundIn } from "../catalogue/formats.ts";
import { chooseLanguage } from "../catalogue/wanted-language.ts";
import { language, languageName, languages, t, wordFor } from "../catalogue/words.ts";
import { entryOf } from "../client/cache.ts";
import { call } from "../client/call.ts";
import { navigate } from "../navigation/navigation.ts";
import { personPath } from "../navigation/paths.ts";
import { pageTitle } from "../product/product-pages.tsx";
import { isOneOf, isShown, signOut } from "../session/session.ts";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { chooseTheme, chosenTheme, themes } from "../ui/theme.ts";
import { visible } from "../ui/visible.ts";
import "../styles/parts/palette.css";

/** Something that can be gone to, or done. */
interface Entry {
  readonly kind: "page" | "place" | "user" | "setting" | "action";
  readonly text: string;
  /** Other names that people have for it. */
  readonly words?: string;
  /** Other words that find it. */
  readonly more?: string;
  run(): void;
}

/** Goes to a page, a user or a setting, or does something, by its name (ARIA APG: combobox with a list box). */
export function Body({ onClose }: { readonly onClose: () => void }) {
  const [sought, setSought] = useState("");
  const [chosen, setChosen] = useState(0);
  // These need no answer of the agent.
  const known = useMemo(() => [...pages(), ...productPages(), ...actions(), ...places(), ...settings()], []);
  const users = useUsersCalled(sought);
  const entries = found([...known, ...users], sought);
  const at = Math.min(chosen, entries.length - 1);
  const id = useId();
  // One that was chosen by the keys is kept in sight.
  useEffect(
    () => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" }),
    [at, sought, users],
  );
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && !event.isComposing) run(entries[at]);
    else if (step !== undefined) setChosen((at + step + entries.length) % Math.max(1, entries.length));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t.frame.find} onClose={onClose}>
      <div class="palette">
        <input
          data-first
          type="text"
          role="combobox"
          aria-label={t.palette.field}
          aria-expanded={entries.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={entries.length === 0 ? undefined : `${id}-${at}`}
          placeholder={t.palette.field}
          autocomplete="off"
          spellcheck={false}
          maxLength={mostLetters}
          value={sought}
          onInput={({ currentTarget }) => {
            setSought(currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKey}
        />
        <p class="unseen" role="status">
          {sought !== "" && t.palette.found(entries.length)}
        </p>
        <div id={id} class="palette-list" role="listbox" tabIndex={-1} aria-label={t.frame.find}>
          {entries.map((entry, index) => (
            // The keyboard stays in the field, which names the one that is chosen.
            <button
              key={`${entry.kind} ${entry.text}`}
              id={`${id}-${index}`}
              type="button"
              role="option"
              class="line between"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => run(entry)}
            >
              <bdi>{visible(entry.text)}</bdi>
              <span class="hint">{t.palette.kinds[entry.kind]}</span>
            </button>
          ))}
        </div>
        {entries.length === 0 && <p class="hint">{t.palette.none(visible(sought))}</p>}
        <p class="hint palette-keys">{t.palette.hint}</p>
      </div>
    </Dialog>
  );
}

/** The agent searches for no more. */
const mostLetters = 64;

/** Milliseconds without a letter before the agent is asked. */
const pauseMilliseconds = 150;

/** Users whose name has the text in it, for those who may see them. */
function useUsersCalled(sought: string): readonly Entry[] {
  const [users, setUsers] = useState<readonly Entry[]>([]);
  const q = sought.trim();
  useEffect(() => {
    setUsers([]);
    if (q === "" || !isOneOf("admin")) return;
    const ending = new AbortController();
    const timer = setTimeout(() => {
      call("listUsers", { query: { q, limit: 5 } }, { signal: ending.signal }).then(
        ({ items }) =>
          setUsers(
            items.map(({ username, display_name }) => ({
              kind: "user",
              text: username,
              more: display_name,
              run: () => void navigate(personPath(username)),
            })),
          ),
        // Without them it is still of use; the page of the users says what is wrong.
        () => undefined,
      );
    }, pauseMilliseconds);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [q]);
  return users;
}

function settings(): Entry[] {
  const words: Readonly<Record<string, { readonly label: string; readonly hint?: string }>> =
    t.settings.words;
  return Object.entries(words).map(([pointer, { label, hint = "" }]) => ({
    kind: "setting",
    text: label,
    words: wordFor<string>(t.settings.also, pointer) ?? "",
    more: hint,
    run: () =>
      void (pointer.startsWith("/update/")
        ? navigate("/updates", { open: "settings" })
        : /^\/(host\/|device\/(name|location|contact)$)/.test(pointer)
          ? navigate("/system/device", { open: pointer.split("/")[2] })
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
  backup: { to: "/system/device", query: { open: "backup" }, roles: ["admin"] },
  bundle: { to: "/system/device", roles: ["admin"] },
  restart: { to: "/system/device", query: { open: "reboot" }, roles: ["admin"] },
  powerOff: { to: "/system/device", query: { open: "powerOff" }, roles: ["admin"] },
  reset: { to: "/system/device", query: { open: "reset" }, roles: ["admin"] },
  sheet: { to: "/system/device", query: { open: "sheet" } },
  password: { to: "/account" },
  factor: { to: "/account" },
  tokens: { to: "/account", query: { open: "tokens" } },
  sessions: { to: "/account", query: { open: "sessions" } },
  trust: { to: "/updates", query: { open: "trust" } },
  history: { to: "/updates", query: { open: "history" } },
  setup: { to: "/setup" },
};

function pages(): readonly Entry[] {
  return (Object.keys(pageTexts) as PageName[])
    .filter(isShown)
    .map((path) => ({
      kind: "page",
      text: pageTexts[path](),
      words: t.palette.words.pages[path],
      run: () => void navigate(path),
    }));
}

/** Those of the product, as the status that is kept fresh names them. */
function productPages(): readonly Entry[] {
  const { value } = entryOf("getStatus", "{}").read.read();
  const { pages = [] } = value?.product ?? {};
  return pages.map((page) => ({ kind: "page", text: pageTitle(page), run: () => location.assign(page.url) }));
}

function places(): readonly Entry[] {
  return Object.entries(placePaths)
    .filter(([, { to, roles }]) => isShown(to) && (roles === undefined || isOneOf(...roles)))
    .map(([name, { to, query }]) => ({
      kind: "place",
      text: t.palette.places[name as PlaceName],
      words: t.palette.words.places[name as PlaceName],
      run: () => void navigate(to, query),
    }));
}

const most = 10;

/**
 * Those in which each word is found, best first: by a whole name, by the beginning of the name, of a word in it, of another word for it,
 * then anywhere. Without a text: pages and actions.
 */
function found(entries: readonly Entry[], sought: string): readonly Entry[] {
  const text = sought.trim();
  if (text === "") return entries.filter(({ kind }) => kind === "page" || kind === "action").slice(0, most);
  return entries
    .map((entry) => ({ entry, rank: ranks.findIndex((holds) => holds(entry, text)) }))
    .filter(({ rank }) => rank !== -1)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ entry }) => entry);
}

const ranks: readonly ((entry: Entry, sought: string) => boolean)[] = [
  ({ text, words = "" }, sought) => [text, ...words.split(",")].some((one) => folded(one) === folded(sought)),
  ({ text }, sought) => beginsIn(text, sought) === 0,
  ({ text }, sought) => beginsIn(text, sought) > 0,
  ({ words = "" }, sought) => beginsIn(words, sought) >= 0,
  ({ text }, sought) => isFoundIn(text, sought),
  ({ text, words = "", more = "" }, sought) => isFoundIn(`${text}\n${words}\n${more}`, sought),
];

/** The place of the first word that begins with the sought text; -1: there is none. */
function beginsIn(text: string, sought: string): number {
  return ` ${folded(text)}`.replaceAll(/[\s,-]/g, " ").indexOf(` ${folded(sought)}`);
}
