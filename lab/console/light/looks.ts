import assert from "node:assert/strict";
import { resolveObjectURL } from "node:buffer";
import type { Page } from "playwright-core";
import { sampled } from "../../basics/counts.ts";
import type { TestBrowser } from "../browser.ts";
import { arePicturesKept, axe, picture } from "../page-checks.ts";
import { topDialogs } from "./hands.ts";
import type { LightPage } from "./page.ts";

/** More to be said of it, as Chromium draws it. */
type Judge = (drawn: Page) => Promise<void>;

interface Kept {
  readonly name: string;
  readonly html: Promise<string>;
  readonly look: ReturnType<LightPage["look"]>;
  readonly judge: Judge | undefined;
}

/**
 * States of pages without a browser that Chromium looks at when the tests of a file are done: axe-core, and pictures. It
 * draws the same elements with the same style, in one page for all of them.
 */
export class Looks {
  readonly #kept: Kept[] = [];

  /** As the page is now, in its window's size and scheme; `name`: of its picture. */
  keep(page: Page, name: string, judge?: Judge): void {
    const light = page as unknown as LightPage;
    this.#kept.push({ name, html: withPictures(markupOf(light.document)), look: light.look(), judge });
  }

  /** Judges one in four, and those of which more is said; in `make test-all` all. */
  async judge(start: () => Promise<TestBrowser>): Promise<void> {
    if (this.#kept.length === 0) return;
    const { page } = await (await start()).open({ url: "about:blank" });
    const asked = this.#kept.filter(({ judge }) => judge === undefined);
    const chosen = new Set(arePicturesKept ? asked : sampled(asked, { oneIn: 4 }));
    for (const one of this.#kept) {
      const { name, html, look, judge } = one;
      if (judge === undefined && !chosen.has(one)) continue;
      await page.emulateMedia({ colorScheme: look.scheme });
      await page.setViewportSize({ width: look.width, height: look.height });
      await page.setContent(await html);
      await page.evaluate(openAll);
      assert.deepEqual(await axe(page), [], name);
      await judge?.(page);
      await picture(page, name);
    }
  }
}

/** The document as text, with what was typed and chosen in it, its style, and which dialogs lie over it. */
function markupOf(document: Document): string {
  for (const field of document.querySelectorAll("input")) {
    if (field.type !== "checkbox" && field.type !== "radio") field.setAttribute("value", field.value);
    else field.toggleAttribute("checked", field.checked);
  }
  for (const option of document.querySelectorAll("option"))
    option.toggleAttribute("selected", option.selected);
  for (const [index, dialog] of topDialogs(document).entries()) dialog.setAttribute("data-over", `${index}`);
  const sheets = document.adoptedStyleSheets as unknown as { text: string }[];
  const style = sheets.map(({ text }) => `<style>${text}</style>`).join("");
  return `<!doctype html>${document.documentElement.outerHTML.replace("</head>", () => `${style}</head>`)}`;
}

/** With the pictures that the page has made itself: their addresses lead nowhere but in its own process. */
async function withPictures(html: string): Promise<string> {
  const made = [...html.matchAll(/blob:nodedata:[\w-]+/g)].map(([url]) => {
    const blob = resolveObjectURL(url);
    assert.ok(blob, "the page shows a picture that it has given up");
    return { url, blob };
  });
  for (const { url, blob } of made) {
    const bytes = Buffer.from(await blob.arrayBuffer());
    html = html.replaceAll(url, `data:${blob.type};base64,${bytes.toString("base64")}`);
  }
  return html;
}

/** In the page: opens its dialogs and menus, as the console has opened them. */
function openAll(): void {
  const dialogs = [...document.querySelectorAll<HTMLDialogElement>("[data-over]")];
  for (const dialog of dialogs.sort((one, other) => Number(one.dataset.over) - Number(other.dataset.over))) {
    dialog.open = false;
    dialog.showModal();
  }
  for (const menu of document.querySelectorAll<HTMLElement>("[popover]")) menu.showPopover();
}
