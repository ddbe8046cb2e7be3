import { inBrowser } from "../kept.ts";

/** The looks that a person can choose; `system` follows the browser. */
export const themes = ["system", "light", "dark"] as const;

type Theme = (typeof themes)[number];

const choiceName = "steward-theme";

export function chosenTheme(): Theme {
  const chosen = inBrowser.get(choiceName);
  return themes.find((one) => one === chosen) ?? "system";
}

export function chooseTheme(theme: Theme): void {
  inBrowser.set(choiceName, theme);
  showTheme();
}

/** Puts the choice in force; the colours of styles/tokens.css follow it. */
export function markTheme(): void {
  const theme = chosenTheme();
  const root = document.documentElement;
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
}

/** Colours the browser's own bars as well, once there is a page. */
export function showTheme(): void {
  markTheme();
  const isUsual = chosenTheme() === "system";
  // Asking for the style computes it before the page is drawn, so it is asked for only if it is needed.
  const ground = isUsual ? "" : getComputedStyle(document.body).backgroundColor;
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color]")) {
    meta.dataset.usual ??= meta.content;
    meta.content = isUsual ? meta.dataset.usual : ground;
  }
}

/** Adds the style of a part behind that of every page. */
export function adopt(style: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
}
