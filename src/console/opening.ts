import { providerReturnPath } from "../contract/shapes.ts";
import { preferredLanguage } from "./catalogue/wanted-language.ts";
import { markAccent } from "./kept-accent.ts";
import { beginRefresh } from "./session/early-refresh.ts";
import { markTheme } from "./ui/theme.ts";

/** The address of the first texts of each language, put here by the build, which puts this into the page itself. */
declare const FIRST_TEXTS: Readonly<Record<string, string>>;

/** Milliseconds for the console to be there, or to say why it is not. */
const patienceMilliseconds = 20_000;

/** For a page without its files, the texts among them. */
const stuck: Readonly<Record<string, readonly [title: string, text: string, again: string]>> = {
  en: [
    "This page could not be loaded",
    "A proxy, or the sign-in page of your network, may be in between.",
    "Try again",
  ],
  de: [
    "Diese Seite konnte nicht geladen werden",
    "Vielleicht ist ein Proxy oder die Anmeldeseite Ihres Netzes dazwischen.",
    "Noch einmal versuchen",
  ],
};

/** The path of the operation `refresh`, by the build too. */
declare const REFRESH_PATH: string;

// A window that comes back from the sign-in provider closes at once: the answer with the next token would be lost.
if (location.pathname !== providerReturnPath) beginRefresh(REFRESH_PATH);
// Both before anything is drawn.
markTheme();
markAccent();

// While the page's script is on its way, the texts that it will ask for come beside it.
const texts = FIRST_TEXTS;
const tag = preferredLanguage(Object.keys(texts), null);
if (tag !== null) {
  document.documentElement.lang = tag;
  const link = document.createElement("link");
  link.rel = "modulepreload";
  link.href = texts[tag] ?? "";
  document.head.append(link);
}

const looking = setInterval(look, patienceMilliseconds);
addEventListener("error", ({ target }) => target instanceof HTMLScriptElement && look(), true);

/** Ends a shell without a console, or a console without texts, with a sentence. */
function look(): void {
  const place = document.querySelector("#console > .outside > .skeleton");
  if (place === null) clearInterval(looking);
  if (!place || place.querySelector("a") || document.querySelector(".reconnecting")) return;
  const main = document.createElement("main");
  const tags = ["h1", "p", "a"] as const;
  (stuck[tag ?? ""] ?? stuck.en)?.forEach((text, at) => {
    const element = document.createElement(tags[at] ?? "p");
    element.textContent = text;
    if (element instanceof HTMLAnchorElement) element.href = location.href;
    main.append(element);
  });
  place.replaceChildren(main);
}
