/** Puts the style of a part in force, behind that of every page. It comes within the part's script: one file to wait for. */
export function adopt(style: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
}
