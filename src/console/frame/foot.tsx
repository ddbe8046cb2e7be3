import { t } from "../catalogue/words.ts";

/** The document about each page, below /docs/; a page within a section has that of the section. */
const documents: Readonly<Record<string, string>> = {
  "/": "console",
  "/users": "sign-in",
  "/account": "sign-in",
  "/system": "clock",
  "/system/device": "device",
  "/system/history": "console",
  "/system/settings": "settings",
  "/system/logs": "logs-and-events",
  "/system/events": "logs-and-events",
  "/updates": "updates/operate",
};

/** Under each page: its document, and the way in for programs. They open beside the page, whose entries stay. */
export function Foot({ path }: { readonly path: string }) {
  const name = documents[path] ?? documents[`/${path.split("/")[1]}`] ?? "index";
  const link = (address: string, text: string) => (
    <a href={address} target="_blank" hreflang="en" rel="noopener">
      {text}
    </a>
  );
  return (
    <footer class="foot">
      {link(`/docs/${name}.html`, t.frame.help)}
      {link("/docs/api.html", "API")}
      {link("/api/openapi.json", "OpenAPI")}
      {link("/docs/metrics.html", t.frame.metrics)}
    </footer>
  );
}
