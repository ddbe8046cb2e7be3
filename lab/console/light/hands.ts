/** Does to elements what a person's hands do, and answers as a browser does (WHATWG HTML, UI Events). */
import { isVisible } from "./accessible.ts";

const viewOf = (element: Element) => element.ownerDocument.defaultView as Window & typeof globalThis;

/** Values of fields when they were entered: leaving one that has another is a change. */
const entered = new WeakMap<Element, string>();

const typed = "input, textarea";

/** Those that take letters. */
const written = "textarea, input:not([type]), [type=text], [type=password], [type=search], [type=number]";

/** True unless a dialog covers the element or it is marked as disabled. */
export function canBeUsed(element: Element): boolean {
  const top = topDialog(element.ownerDocument);
  if (top !== undefined && !top.contains(element)) return false;
  const owner = element.closest("button, input, select, textarea, a, [role]") ?? element;
  return !owner.matches(":disabled") && owner.getAttribute("aria-disabled") !== "true";
}

const openDialogs = new WeakMap<Document, HTMLDialogElement[]>();

const dialogsOf = (document: Document): HTMLDialogElement[] =>
  (openDialogs.get(document) ?? []).filter((one) => one.isConnected && one.open);

/** The dialogs that are open, the topmost last. */
export function topDialogs(document: Document): readonly HTMLDialogElement[] {
  return dialogsOf(document);
}

function topDialog(document: Document): HTMLDialogElement | undefined {
  return dialogsOf(document).at(-1);
}

const given = new WeakSet<object>();

/** Has the page's dialogs, details and popovers be as a browser's. All windows have the same classes of elements. */
export function giveDialogs({
  HTMLDetailsElement,
  HTMLDialogElement,
  HTMLElement,
}: Window & typeof globalThis): void {
  if (given.has(HTMLElement)) return;
  given.add(HTMLElement);
  HTMLDialogElement.prototype.showModal = function () {
    openDialogs.set(this.ownerDocument, [...dialogsOf(this.ownerDocument), this]);
    this.setAttribute("open", "");
  };
  HTMLDialogElement.prototype.close = function () {
    if (!this.open) return;
    this.removeAttribute("open");
    const view = viewOf(this);
    view.setTimeout(() => this.dispatchEvent(new view.Event("close")));
  };
  // A page hears of what is open in a task of its own, when it has drawn all that changes with it.
  const { dispatchEvent } = HTMLDetailsElement.prototype;
  const due = new WeakSet<Event>();
  HTMLDetailsElement.prototype.dispatchEvent = function (event) {
    if (event.type !== "toggle" || due.has(event)) return dispatchEvent.call(this, event);
    due.add(event);
    viewOf(this).setTimeout(() => this.dispatchEvent(event));
    return true;
  };
  const { focus } = HTMLElement.prototype;
  HTMLElement.prototype.focus = function () {
    if (isVisible(this)) focus.call(this);
  };
  HTMLElement.prototype.showPopover = () => undefined;
  HTMLElement.prototype.hidePopover = () => undefined;
}

export function focus(element: Element): void {
  const before = element.ownerDocument.activeElement;
  if (before === element) return;
  if (before !== null) leave(before);
  (element as HTMLElement).focus();
  if (element.matches(typed)) entered.set(element, (element as HTMLInputElement).value);
}

/** A field that is left says whether it was changed. */
function leave(element: Element): void {
  const { value } = element as HTMLInputElement;
  if (!element.matches(typed) || !entered.has(element) || entered.get(element) === value) return;
  entered.set(element, value);
  dispatch(element, "change");
}

export function dispatch(element: Element, type: string): void {
  const { Event } = viewOf(element);
  if (type === "click") (element as HTMLElement).click();
  else element.dispatchEvent(new Event(type, { bubbles: true }));
}

const focusable = "a[href], button, input, select, textarea, summary, [tabindex]";

export function click(element: Element): void {
  const { MouseEvent, PointerEvent } = viewOf(element);
  const options = { bubbles: true, cancelable: true, button: 0 };
  element.dispatchEvent(new PointerEvent("pointerdown", options));
  const isKept = !element.dispatchEvent(new MouseEvent("mousedown", options));
  const target = element.closest(focusable);
  if (!isKept && target !== null && !target.matches(":disabled")) focus(target);
  element.dispatchEvent(new PointerEvent("pointerup", options));
  element.dispatchEvent(new MouseEvent("mouseup", options));
  (element as HTMLElement).click();
}

export function fill(element: Element, text: string): void {
  focus(element);
  put(element as HTMLInputElement, text);
  // A date or a time is changed as a whole.
  if (!element.matches(written)) leave(element);
}

function put(element: HTMLInputElement, text: string): void {
  element.value = text;
  const { InputEvent } = viewOf(element);
  element.dispatchEvent(new InputEvent("input", { bubbles: true, data: text, inputType: "insertText" }));
}

export function optionOf(element: Element, wanted: string): HTMLOptionElement | undefined {
  const options = [...element.querySelectorAll("option")] as HTMLOptionElement[];
  return options.find(({ value, text }) => value === wanted || text.trim() === wanted);
}

export function select(element: Element, wanted: string): void {
  focus(element);
  (element as HTMLSelectElement).value = optionOf(element, wanted)?.value ?? "";
  dispatch(element, "input");
  dispatch(element, "change");
}

/** Presses a key where the keyboard is. */
export function press(document: Document, key: string): void {
  const [name = "", ...modifiers] = key.split("+").reverse();
  const target = document.activeElement ?? document.body;
  const { KeyboardEvent } = viewOf(target);
  const held = {
    ctrlKey: modifiers.some((one) => /^Control/.test(one)),
    shiftKey: modifiers.includes("Shift"),
  };
  const options = { key: name, bubbles: true, cancelable: true, ...held };
  if (target.dispatchEvent(new KeyboardEvent("keydown", options)) && !held.ctrlKey) {
    const isLetter = name.length === 1 && target.matches(written);
    if (isLetter) put(target as HTMLInputElement, (target as HTMLInputElement).value + name);
    else acts[name]?.(target, held.shiftKey);
  }
  (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keyup", options));
}

const acts: Readonly<Record<string, (target: Element, isBack: boolean) => void>> = {
  Enter: (target) => {
    if (target.matches("a[href], button, summary")) (target as HTMLElement).click();
    else if (target.matches("input")) submit(target as HTMLInputElement);
  },
  " ": (target) => {
    if (target.matches("button, summary, [type=checkbox], [type=radio]")) (target as HTMLElement).click();
  },
  Escape: (target) => {
    const dialog = topDialog(target.ownerDocument);
    const { Event } = viewOf(target);
    if (dialog?.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close();
  },
  Tab: (target, isBack) => step(target, isBack ? -1 : 1),
  ArrowUp: (target) => choose(target, -1),
  ArrowDown: (target) => choose(target, 1),
};

/** WHATWG HTML, "implicit submission". */
function submit(field: HTMLInputElement): void {
  leave(field);
  const button = field.form?.querySelector<HTMLButtonElement>("button:not([type=button]):not([type=reset])");
  if (button) {
    if (!button.disabled) button.click();
  } else field.form?.requestSubmit();
}

/** To the next or former element that Tab reaches; of radio buttons, the chosen one. */
function step(target: Element, by: number): void {
  const root = topDialog(target.ownerDocument) ?? target.ownerDocument.body;
  const reached = [...root.querySelectorAll(focusable)].filter(
    (one) => one.getAttribute("tabindex") !== "-1" && !one.matches(":disabled, [type=radio]:not(:checked)"),
  );
  const to = reached.at((reached.indexOf(target) + by) % reached.length);
  if (to !== undefined) focus(to);
}

function choose(target: Element, by: number): void {
  if (!target.matches("[type=radio]")) return;
  const { name, form } = target as HTMLInputElement;
  const group = [...(form ?? target.ownerDocument).querySelectorAll<HTMLInputElement>("[type=radio]")].filter(
    (one) => one.name === name,
  );
  const to = group.at((group.indexOf(target as HTMLInputElement) + by) % group.length);
  if (to === undefined) return;
  focus(to);
  to.click();
}
