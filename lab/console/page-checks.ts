import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page, Route } from "playwright-core";
import { counted } from "../basics/counts.ts";
import { until } from "../basics/until.ts";
import { isFirefox } from "./launch.ts";

/** Waits until the page has what it reads from the agent. */
export async function whole(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await until("the page is whole", async () => (await page.locator("main .skeleton").count()) === 0);
}

/** Goes to another page of the console that is open, as by the browser's own steps, and waits until it is whole. */
export async function stepTo(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    if (to.split(/[/?]/)[1] !== location.pathname.split("/")[1])
      document.querySelector("h1")?.setAttribute("data-before", "");
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate"));
  }, path);
  // Until its file is there, the page before is shown.
  await page.locator("h1:not([data-before])").waitFor();
  if (path.startsWith("/system"))
    await page.locator(`.tabs a[href="${path.split("?")[0]}"][aria-current]`).waitFor();
  await whole(page);
}

/** The looks in which one visit checks a page, one after another. */
export const looks = [
  ["light", "light", 1280],
  ["dark", "dark", 1280],
  ["phone", "light", 360],
] as const;

/** The page cannot be scrolled sideways. */
export async function assertFits(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth] as const;
  });
  if (content <= window) return;
  const parts = await page.evaluate(() =>
    [...document.querySelectorAll("body *")]
      .filter(
        (one) =>
          one.checkVisibility() &&
          one.getBoundingClientRect().right > document.documentElement.clientWidth + 1,
      )
      .map(
        (one) =>
          `${one.tagName.toLowerCase()}.${one.getAttribute("class") ?? ""} "${(one.textContent ?? "").slice(0, 40)}"`,
      ),
  );
  const about = `${page.url()} is ${content} pixels wide in a window of ${window}`;
  assert.fail(`${about}, by ${parts.slice(-8).join(", ")}`);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** By the debugger, which the page's policy does not bind; Chromium's own takes half of the time of playwright's. */
async function loadAxe(page: Page): Promise<void> {
  if (isFirefox) return page.evaluate(axeSource);
  const debug = await page.context().newCDPSession(page);
  const { exceptionDetails } = await debug.send("Runtime.evaluate", { expression: axeSource });
  assert.equal(exceptionDetails, undefined, "axe could not be loaded");
  await debug.detach();
}

/**
 * Rows behind the first dozen of a list or of the log that are closed, of which axe-core takes longer than of all else:
 * what is wrong with one is wrong with those before. In `make test-all` it looks at them too.
 */
const moreRows = counted({
  usual: [
    ["tbody > tr:nth-child(n + 13)"],
    [".timeline > li:nth-child(n + 13):not(:has([aria-expanded='true']))"],
    [".log-line:nth-child(n + 13):not([open])"],
  ],
  all: [],
});

/** The findings of axe-core in the page as it is now, a line each, without those of some rules. */
export async function axe(page: Page, without: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await loadAxe(page);
  const violations = await page.evaluate(
    async ({ rules, exclude }) => {
      interface Finding {
        id: string;
        nodes: { html: string; failureSummary?: string }[];
      }
      type Run = (context: object, options: object) => Promise<{ violations: Finding[] }>;
      const { axe: checker } = globalThis as unknown as { axe: { run: Run } };
      const context = exclude.length === 0 ? document : { exclude };
      return (await checker.run(context, { resultTypes: ["violations"], rules })).violations;
    },
    { rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])), exclude: moreRows },
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ""}`),
  );
}

const pictures = join(import.meta.dirname, "../../var/screenshots");

/** In `make screenshots`. */
export const arePicturesKept = process.env.STEWARD_SCREENSHOTS === "1";

/** Keeps a picture of the page under var/screenshots, where pictures are kept. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!arePicturesKept) return;
  mkdirSync(pictures, { recursive: true });
  // At its last place the pointer would mark the element beneath it.
  await page.mouse.move(0, 0);
  const path = join(pictures, `${name}${isFirefox ? "-firefox" : ""}.png`);
  const size = page.viewportSize();
  // Behind a dialog the page is dim, however long it is.
  if (size === null || (await page.locator("dialog[open]").count()) > 0) return takePicture(page, path);
  // Bars stand at the head and the foot of the window: so the window is made as high as the page.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...size, height });
  await takePicture(page, path);
  await page.setViewportSize(size);
}

/** In Firefox playwright puts a style into the page for it, which the page's policy refuses: the page's faults leave that out. */
async function takePicture(page: Page, path: string): Promise<void> {
  await page.evaluate(() => Object.assign(globalThis, { isPictured: true }));
  await page.screenshot({ path });
  await page.evaluate(() => Object.assign(globalThis, { isPictured: false }));
}

/** A longer word is data (a fingerprint, a host), which may be divided: `brokenText` lets it pass. */
const longestWord = 25;
/** Characters on each line of such a word, on the average. */
const leastCharacters = 8;

/**
 * Text that cannot be read at the window's present width, a line each: a word that is divided because its box is
 * narrower, text that reaches beyond its button or page, and a name of which next to nothing is left.
 */
export function brokenText(page: Page): Promise<string[]> {
  return page.evaluate(findBrokenText, { longestWord, leastCharacters });
}

/** In the page; it has no function with a name, for which the test's compiler would need a helper of its own. */
function findBrokenText(limits: { longestWord: number; leastCharacters: number }): string[] {
  const found: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue ?? "";
    const parent = node.parentElement;
    if (
      !parent?.checkVisibility() ||
      parent.closest(".unseen, .why, .skip, option, script, noscript, svg") !== null ||
      // Read out only, as .unseen is, in a narrow window.
      getComputedStyle(parent).clipPath === "inset(50%)"
    )
      continue;
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
    if (rects.length === 0) continue;
    const box = parent.getBoundingClientRect();
    const about = `${parent.tagName.toLowerCase()}.${parent.className} (${Math.round(box.width)} x ${Math.round(box.height)})`;
    const isClipped = getComputedStyle(parent).textOverflow === "ellipsis";
    const isCut = isClipped && parent.scrollWidth > parent.clientWidth + 1;
    if (isCut && box.width < 48) found.push(`next to nothing is left of "${text}" in ${about}`);
    const around = parent.closest(".button") ?? parent.closest("main > *") ?? document.documentElement;
    const place = around.getBoundingClientRect();
    const isOut = rects.some(({ left, right }) => left < place.left - 1 || right > place.right + 1);
    if (isOut && !isClipped && parent.closest("pre, .log, .log-facets") === null)
      found.push(`out of its place: "${text}" in ${about}`);
    if (new Set(rects.map(({ top }) => Math.round(top))).size < 2) continue;
    const isLogged = parent.closest(".log-text, .log-unit, .log-user") !== null;
    for (const { 0: word, index } of text.matchAll(
      /[^\s\u00ad–/?\p{Extended_Pictographic}\p{Regional_Indicator}-]+[-/?]?/gu,
    )) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      // A line of the log holds data too, such as the parts of a path.
      const most = Math.max(isLogged ? 2 : 1, Math.ceil(word.length / limits.leastCharacters));
      const isRead = (isLogged || word.length > limits.longestWord) && lines <= most;
      if (lines > 1 && !isRead) found.push(`on ${lines} lines: "${word}" in ${about}`);
    }
  }
  return found;
}

/** Nothing is wider than the window, and axe-core finds nothing; `name`: of its picture. */
export async function assertSound(page: Page, name?: string): Promise<void> {
  assert.deepEqual(await axe(page), [], name ?? page.url());
  await assertFits(page);
  if (name !== undefined) await picture(page, name);
}

/** Has the agent's answers at such an address wait until the result is called. */
export async function holdAnswers(page: Page, address: string, times?: number): Promise<() => void> {
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const go = (route: Route): Promise<void> => held.then(() => route.continue()).catch(() => undefined);
  await page.route(address, go, times === undefined ? {} : { times });
  return letGo;
}

/** Has the agent's answers at such an address have other members. */
export async function answerWith(
  page: Page,
  address: string | RegExp,
  // biome-ignore lint/suspicious/noExplicitAny: tests change answers of every shape
  change: object | ((answer: any) => object),
): Promise<void> {
  await page.route(address, async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    const members = typeof change === "function" ? change(answer) : change;
    await route.fulfill({ response, json: { ...answer, ...members } });
  });
}

/** Nothing is wider than the window, and all text can be read. */
export async function assertReads(page: Page): Promise<void> {
  assert.deepEqual(await brokenText(page), []);
  await assertFits(page);
}

/** CSS pixels that a finger needs (WCAG 2.2, 2.5.5). */
const leastTarget = 44;

/** Controls that are smaller than a finger needs, a line each; a link within a sentence may be smaller. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const found: string[] = [];
    const open = document.querySelector("dialog[open]");
    for (const one of document.querySelectorAll<HTMLElement>("a, button, input, select, textarea, summary")) {
      if (!one.checkVisibility({ visibilityProperty: true }) || one.closest(".skip, .unseen") !== null)
        continue;
      if (open !== null && !open.contains(one)) continue;
      const isWithinText = one.tagName === "A" && getComputedStyle(one).display === "inline";
      if (isWithinText && one.parentElement?.textContent?.trim() !== one.textContent?.trim()) continue;
      const labels = [...((one as HTMLInputElement).labels ?? [])];
      const isTicked = one instanceof HTMLInputElement && ["checkbox", "radio"].includes(one.type);
      const boxes = [one, ...(isTicked ? labels : [])].map((part) => part.getBoundingClientRect());
      const width = Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left));
      const height =
        Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top));
      if (width >= least - 0.5 && height >= least - 0.5) continue;
      // The area that takes its touch may exceed its box: a link can stand for the tile that it is in.
      one.scrollIntoView({ block: "center", behavior: "instant" });
      const { left, right, top, bottom } = one.getBoundingClientRect();
      const [x, y, far] = [(left + right) / 2, (top + bottom) / 2, least / 2 - 1];
      const isCovered = [
        [x - far, y],
        [x + far, y],
        [x, y - far],
        [x, y + far],
      ].every(([atX = 0, atY = 0]) => one.contains(document.elementFromPoint(atX, atY)));
      if (!isCovered)
        found.push(`${Math.round(width)} x ${Math.round(height)}: ${one.outerHTML.slice(0, 120)}`);
    }
    return found;
  }, leastTarget);
}

/** CSS pixels of a small phone, and of the part of it that the keyboard leaves. */
const phone = { width: 320, height: 568 };
const aboveKeyboard = { width: 320, height: 270 };

/** Each field of the page stays in sight with its label and its hint when the keyboard of a small phone comes. */
export async function assertAboveKeyboard(page: Page, least: number): Promise<void> {
  const fields = await page.locator("main :is(input, textarea, select)").all();
  assert.ok(fields.length >= least, `there are only ${fields.length} fields`);
  for (const field of fields) {
    await page.setViewportSize(phone);
    await field.focus();
    await page.setViewportSize(aboveKeyboard);
    await assertFits(page);
    await until(`${await field.evaluate((one) => one.outerHTML)} is in sight`, () =>
      field.evaluate(isInSight),
    );
  }
  await page.setViewportSize(phone);
}

function isInSight(field: Element): boolean {
  const { labels } = field as HTMLInputElement;
  const hint = document.getElementById(field.getAttribute("aria-describedby") ?? "");
  const parts = [field, ...(labels ?? []), ...(hint === null ? [] : [hint])];
  const boxes = parts.map((part) => part.getBoundingClientRect());
  return boxes.every(({ top, bottom }) => top >= 0 && bottom <= innerHeight);
}

/**
 * Has the page lay itself out at each step of an exchange of elements. WebKit does something like it: a size container is
 * laid out once before what is new in it has a box. Where the page is lower for that moment, it is scrolled.
 */
export async function layOutEarly(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const { remove } = Element.prototype;
    Element.prototype.remove = function () {
      remove.call(this);
      document.documentElement.getBoundingClientRect();
    };
  });
}

/** As a browser writes a colour that it has computed. */
export function rgb(colour: string): string {
  return `rgb(${[1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)).join(", ")})`;
}
