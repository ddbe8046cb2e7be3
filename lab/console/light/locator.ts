import { setTimeout as delay } from "node:timers/promises";
import { innerTextOf, isVisible, labelsOf, levelOf, nameOf, roleOf, squeezed } from "./accessible.ts";
import * as hands from "./hands.ts";
import { PropertySymbol } from "./happy-dom.ts";
import type { LightPage } from "./page.ts";

type Text = string | RegExp;
type Find = (root: ParentNode) => Element[];

interface RoleOptions {
  readonly name?: Text;
  readonly exact?: boolean;
  readonly level?: number;
  readonly selected?: boolean;
}

interface FilterOptions {
  readonly hasText?: Text;
  readonly hasNotText?: Text;
  readonly has?: LightLocator;
}

interface State {
  readonly state?: "attached" | "detached" | "visible" | "hidden";
}

/** Seconds for what a test waits for: it is for what does not come, not for slow machines. */
const patienceSeconds = 120;

function isText(text: string, wanted: Text, exact = false): boolean {
  if (wanted instanceof RegExp) return wanted.test(text);
  return exact ? text === squeezed(wanted) : text.toLowerCase().includes(squeezed(wanted).toLowerCase());
}

/** Its element children. What is looked for is looked for often, and happy-dom's own lists take ten times as long. */
const childrenOf = (root: ParentNode): readonly Element[] =>
  (root as unknown as Record<symbol, Element[]>)[PropertySymbol.elementArray] ?? [];

/** All elements within, in the order of the document. */
function all(root: ParentNode, found: Element[] = []): Element[] {
  for (const one of childrenOf(root)) {
    found.push(one);
    all(one, found);
  }
  return found;
}

/** Text that is not shown is not found either. */
const isTextless = (element: Element): boolean =>
  /^(script|style|noscript|head|title)$/.test(element.localName);

/** The innermost elements with this text. */
function withText(root: ParentNode, wanted: Text, exact: boolean): Element[] {
  const inside = childrenOf(root).flatMap((one) => innermost(one, wanted, exact));
  if (root.nodeType !== 1 || inside.length > 0) return inside;
  return innermost(root as unknown as Element, wanted, exact);
}

function innermost(element: Element, wanted: Text, exact: boolean): Element[] {
  if (isTextless(element)) return [];
  const text = squeezed(element.textContent ?? "");
  // No part of it has more text.
  if (text === "" || (typeof wanted === "string" && !isText(text, wanted))) return [];
  const inside = childrenOf(element).flatMap((one) => innermost(one, wanted, exact));
  // The document's own element has the text of its styles too.
  if (element.localName === "html") return inside;
  return inside.length === 0 && isText(text, wanted, exact) ? [element] : inside;
}

/** The methods that playwright's pages and locators share. */
export abstract class Place {
  abstract readonly ofPage: LightPage;
  abstract find(): Element[];

  protected within(find: Find, words: string): LightLocator {
    const roots = (): readonly ParentNode[] => (this instanceof LightLocator ? this.find() : [this.root()]);
    return new LightLocator(
      this.ofPage,
      () => {
        const [root, ...others] = roots();
        // Within one root they are in order already, and to compare two costs happy-dom a walk of the document.
        return root !== undefined && others.length === 0 ? find(root) : inOrder(roots().flatMap(find));
      },
      this instanceof LightLocator ? `${this} > ${words}` : words,
    );
  }

  protected abstract root(): ParentNode;

  getByRole(role: string, { name, exact = false, level, selected }: RoleOptions = {}): LightLocator {
    return this.within(
      (root) =>
        all(root).filter(
          (one) =>
            roleOf(one) === role &&
            (level === undefined || levelOf(one) === level) &&
            (selected === undefined || (one.getAttribute("aria-selected") === "true") === selected) &&
            (name === undefined || isText(nameOf(one), name, exact)) &&
            isVisible(one) &&
            one.closest("[aria-hidden=true]") === null,
        ),
      `${role} ${name ?? ""}`,
    );
  }

  getByText(text: Text, { exact = false } = {}): LightLocator {
    return this.within((root) => withText(root, text, exact), `text ${text}`);
  }

  getByLabel(text: Text, { exact = false } = {}): LightLocator {
    return this.within(
      (root) => all(root).filter((one) => labelsOf(one).some((label) => isText(label, text, exact))),
      `label ${text}`,
    );
  }

  locator(selector: string, options: FilterOptions = {}): LightLocator {
    return this.within((root) => [...root.querySelectorAll(selector)], selector).filter(options);
  }
}

/** In the order of the document, each once. */
function inOrder(elements: readonly Element[]): Element[] {
  const once = [...new Set(elements)];
  const isBefore = (one: Element, other: Element): boolean => (one.compareDocumentPosition(other) & 4) !== 0;
  return once.length < 2 ? once : once.sort((one, other) => (isBefore(one, other) ? -1 : 1));
}

/** As playwright's Locator: it is looked for whenever it is asked, and waited for before it is acted on. */
export class LightLocator extends Place {
  readonly ofPage: LightPage;
  readonly find: () => Element[];
  readonly #words: string;

  constructor(page: LightPage, find: () => Element[], words: string) {
    super();
    this.ofPage = page;
    this.find = find;
    this.#words = words;
  }

  override toString(): string {
    return this.#words;
  }

  protected override root(): ParentNode {
    return this.ofPage.document;
  }

  page(): LightPage {
    return this.ofPage;
  }

  #narrowed(narrow: (found: Element[]) => Element[], words: string): LightLocator {
    return new LightLocator(this.ofPage, () => narrow(this.find()), `${this.#words} ${words}`);
  }

  filter({ hasText, hasNotText, has }: FilterOptions): LightLocator {
    const fits = (one: Element): boolean =>
      (hasText === undefined || isText(squeezed(one.textContent ?? ""), hasText)) &&
      (hasNotText === undefined || !isText(squeezed(one.textContent ?? ""), hasNotText)) &&
      (has === undefined || has.find().some((inner) => inner !== one && one.contains(inner)));
    return this.#narrowed((found) => found.filter(fits), `with ${hasText ?? hasNotText ?? has ?? ""}`);
  }

  first = (): LightLocator => this.#narrowed((found) => found.slice(0, 1), "first");
  last = (): LightLocator => this.#narrowed((found) => found.slice(-1), "last");
  nth = (index: number): LightLocator => this.#narrowed((found) => found.slice(index, index + 1), `${index}`);
  and = (other: LightLocator): LightLocator =>
    this.#narrowed((found) => found.filter((one) => other.find().includes(one)), `and ${other}`);
  or = (other: LightLocator): LightLocator =>
    this.#narrowed((found) => inOrder([...found, ...other.find()]), `or ${other}`);

  async all(): Promise<LightLocator[]> {
    return this.find().map((_, index) => this.nth(index));
  }

  async count(): Promise<number> {
    return this.find().length;
  }

  /** The one that this leads to, once it is so; the error says what the page shows instead. */
  async #one(isSo: (element: Element) => boolean = () => true): Promise<HTMLElement> {
    let one: Element | undefined;
    await this.#until("usable", () => {
      [one] = this.#strictly();
      return one !== undefined && isSo(one);
    });
    return one as HTMLElement;
  }

  #strictly(): Element[] {
    const found = this.find();
    if (found.length > 1)
      throw new Error(
        `${found.length} are ${this}:\n${found.map((one) => one.outerHTML.slice(0, 150)).join("\n")}`,
      );
    return found;
  }

  async #until(what: string, isSo: () => boolean): Promise<void> {
    const begin = performance.now();
    while (!isSo()) {
      if (performance.now() - begin > patienceSeconds * 1_000)
        throw new Error(`not ${what}: ${this}\nThe page shows:\n${innerTextOf(this.ofPage.document.body)}`);
      await this.ofPage.changed();
    }
  }

  async waitFor({ state = "visible" }: State = {}): Promise<void> {
    await this.#until(state, () => {
      const [one] = this.#strictly();
      if (state === "attached") return one !== undefined;
      if (state === "detached") return one === undefined;
      return (one !== undefined && isVisible(one)) === (state === "visible");
    });
  }

  async click({ force = false } = {}): Promise<void> {
    hands.click(await this.#one((one) => isVisible(one) && (force || hands.canBeUsed(one))));
    await delay(0);
  }

  async fill(text: string): Promise<void> {
    hands.fill(await this.#one((one) => isVisible(one) && hands.canBeUsed(one)), text);
    await delay(0);
  }

  async check(): Promise<void> {
    if (!(await this.isChecked())) await this.click();
  }

  async uncheck(): Promise<void> {
    if (await this.isChecked()) await this.click();
  }

  async press(key: string): Promise<void> {
    hands.focus(await this.#one(isVisible));
    await this.ofPage.keyboard.press(key);
  }

  async selectOption(wanted: string): Promise<void> {
    const isThere = (one: Element): boolean => hands.optionOf(one, wanted) !== undefined;
    hands.select(await this.#one((one) => isVisible(one) && isThere(one)), wanted);
    await delay(0);
  }

  async focus(): Promise<void> {
    hands.focus(await this.#one());
  }

  async dispatchEvent(type: string): Promise<void> {
    hands.dispatch(await this.#one(), type);
    await delay(0);
  }

  async inputValue(): Promise<string> {
    return ((await this.#one()) as HTMLInputElement).value;
  }

  async isChecked(): Promise<boolean> {
    const one = (await this.#one()) as HTMLInputElement;
    return one.checked ?? one.getAttribute("aria-checked") === "true";
  }

  async isDisabled(): Promise<boolean> {
    return (await this.#one()).matches(":disabled");
  }

  async isVisible(): Promise<boolean> {
    const [one] = this.#strictly();
    return one !== undefined && isVisible(one);
  }

  async getAttribute(name: string): Promise<string | null> {
    return (await this.#one()).getAttribute(name);
  }

  async innerText(): Promise<string> {
    return innerTextOf(await this.#one());
  }

  async textContent(): Promise<string | null> {
    return (await this.#one()).textContent;
  }

  async allInnerTexts(): Promise<string[]> {
    return this.find().map(innerTextOf);
  }

  async allTextContents(): Promise<string[]> {
    return this.find().map(({ textContent }) => textContent ?? "");
  }

  async evaluate(act: (element: Element, given: unknown) => unknown, given?: unknown): Promise<unknown> {
    return this.ofPage.run(act)(await this.#one(), given);
  }

  async evaluateAll(
    act: (elements: Element[], given: unknown) => unknown,
    given?: unknown,
  ): Promise<unknown> {
    return this.ofPage.run(act)(this.find(), given);
  }
}
