/** Roles, names and texts of elements, as far as the console uses them (WAI-ARIA 1.2, HTML-AAM, accname 1.2). */

import { isHiddenByStyle } from "./style.ts";

const blocks =
  /^(address|article|aside|blockquote|br|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|legend|li|main|nav|ol|option|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)$/;

const tagOf = (element: Element): string => element.localName;

/** In the page, and nothing hides it or what it is in. */
export function isVisible(element: Element): boolean {
  if (!element.isConnected) return false;
  for (let one: Element | null = element; one !== null; one = one.parentElement)
    if (isHidden(one)) return false;
  return true;
}

/** True if the element is hidden, or the fold or closed dialog around it is. */
function isHidden(element: Element): boolean {
  const tag = tagOf(element);
  if (element.hasAttribute("hidden") || /^(head|script|style|template|noscript)$/.test(tag)) return true;
  if (tag === "dialog" && !element.hasAttribute("open")) return true;
  const fold = tag === "summary" ? null : element.parentElement;
  if (fold !== null && tagOf(fold) === "details" && !fold.hasAttribute("open")) return true;
  return isHiddenByStyle(element);
}

const inputRoles: Readonly<Record<string, string>> = {
  checkbox: "checkbox",
  radio: "radio",
  number: "spinbutton",
  search: "searchbox",
  range: "slider",
  button: "button",
  submit: "button",
  password: "",
  file: "",
  date: "",
  time: "",
  "datetime-local": "",
};

const rolesOfTags: Readonly<Record<string, string>> = {
  ...{ a: "link", article: "article", aside: "complementary", button: "button", datalist: "listbox" },
  ...{
    dd: "definition",
    details: "group",
    dialog: "dialog",
    dt: "term",
    fieldset: "group",
    figure: "figure",
  },
  ...{ footer: "contentinfo", header: "banner", hr: "separator", img: "img", li: "listitem", main: "main" },
  ...{ menu: "list", meter: "meter", nav: "navigation", ol: "list", option: "option", output: "status" },
  ...{ progress: "progressbar", table: "table", tbody: "rowgroup", td: "cell", textarea: "textbox" },
  ...{ tfoot: "rowgroup", th: "columnheader", thead: "rowgroup", tr: "row", ul: "list" },
  ...{ h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading" },
};

/** Empty: it has none. */
export function roleOf(element: Element): string {
  const given = element.getAttribute("role");
  if (given) return given;
  const tag = tagOf(element);
  if (tag === "a") return element.hasAttribute("href") ? "link" : "";
  if (tag === "input" && element.hasAttribute("list")) return "combobox";
  if (tag === "input") return inputRoles[element.getAttribute("type") ?? "text"] ?? "textbox";
  if (tag === "select") return element.hasAttribute("multiple") ? "listbox" : "combobox";
  if (tag === "section")
    return element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby") ? "region" : "";
  return rolesOfTags[tag] ?? "";
}

export function levelOf(element: Element): number {
  return Number(element.getAttribute("aria-level") ?? /^h([1-6])$/.exec(tagOf(element))?.[1] ?? 0);
}

export const squeezed = (text: string): string => text.replace(/[\s\u00a0]+/g, " ").trim();

const namedByContent =
  /^(button|cell|checkbox|columnheader|heading|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|row|rowheader|switch|tab|tooltip|treeitem)$/;

/** The accessible name, without blanks around it. */
export function nameOf(element: Element): string {
  const byOthers = labelledBy(element).map(contentOf).join(" ");
  if (byOthers !== "") return squeezed(byOthers);
  const label = element.getAttribute("aria-label");
  if (label) return squeezed(label);
  const labels = [...((element as HTMLInputElement).labels ?? [])];
  if (labels.length > 0 && tagOf(element) !== "output") return squeezed(labels.map(contentOf).join(" "));
  const own: Readonly<Record<string, string>> = {
    fieldset: "legend",
    table: "caption",
    figure: "figcaption",
  };
  const inside = own[tagOf(element)];
  const naming = inside === undefined ? null : element.querySelector(`:scope > ${inside}`);
  if (naming !== null) return squeezed(contentOf(naming));
  if (element.hasAttribute("alt")) return squeezed(element.getAttribute("alt") ?? "");
  const content = namedByContent.test(roleOf(element)) ? squeezed(contentOf(element)) : "";
  return content || squeezed(element.getAttribute("title") ?? element.getAttribute("placeholder") ?? "");
}

function labelledBy(element: Element): Element[] {
  const ids = element.getAttribute("aria-labelledby")?.split(/\s+/) ?? [];
  return ids.flatMap((id) => element.ownerDocument.getElementById(id) ?? []);
}

/** The part of a name that a screen reader takes from the content. */
function contentOf(element: Element): string {
  return [...element.childNodes].map(partOfName).join("");
}

function partOfName(node: ChildNode): string {
  if (node.nodeType === 3) return node.nodeValue ?? "";
  if (node.nodeType !== 1) return "";
  const element = node as Element;
  if (isHidden(element) || element.getAttribute("aria-hidden") === "true") return "";
  const label = element.getAttribute("aria-label") ?? element.getAttribute("alt");
  const value = /^(textbox|searchbox|spinbutton)$/.test(roleOf(element))
    ? (element as HTMLInputElement).value
    : undefined;
  const text = label ?? value ?? contentOf(element);
  return blocks.test(tagOf(element)) ? ` ${text} ` : text;
}

/** The labels of a field or of whatever else has one, as `getByLabel` looks for them. */
export function labelsOf(element: Element): string[] {
  const others = labelledBy(element);
  if (others.length > 0) return others.map((one) => squeezed(one.textContent ?? ""));
  const label = element.getAttribute("aria-label");
  if (label !== null) return [squeezed(label)];
  return [...((element as HTMLInputElement).labels ?? [])].map((one) => squeezed(one.textContent ?? ""));
}

/** As `innerText`, where no style sheet changes what is a block. */
export function innerTextOf(element: Element): string {
  return linesOf(element)
    .replace(/[ \t]*\n[ \t]*/g, "\n")
    .replace(/\n{2,}/g, "\n")
    .trim();
}

function linesOf(element: Element): string {
  const isKept = element.closest("pre, textarea") !== null;
  return [...element.childNodes]
    .map((node) => {
      if (node.nodeType === 3)
        return isKept ? (node.nodeValue ?? "") : (node.nodeValue ?? "").replace(/\s+/g, " ");
      if (node.nodeType !== 1 || isHidden(node as Element)) return "";
      const text = linesOf(node as Element);
      return blocks.test(tagOf(node as Element)) ? `\n${text}\n` : text;
    })
    .join("");
}
