import { providerReturnPath } from "../contract/shapes.ts";
import { preferredLanguage } from "./catalogue/wanted-language.ts";
import { markAccent } from "./kept-accent.ts";
import { beginRefresh } from "./session/early-refresh.ts";
import { markTheme } from "./ui/theme.ts";

/** The address of the first texts of each language, put here by the build, which puts this into the page itself. */
declare const FIRST_TEXTS: Readonly<Record<string, string>>;

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
