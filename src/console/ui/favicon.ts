import type { Status } from "../../contract/types.ts";
import { accentColour } from "../client/face.ts";

/** Drawn over the icon: a dot, or a bar where something does not work. */
const marks = {
  attention: '<circle cx="12" cy="12" r="4" fill="#e8a317" stroke="#fff"/>',
  failing: '<path d="M8 9h8v6H8Z" fill="#d12c2c" stroke="#fff"/>',
  unknown: '<circle cx="12" cy="12" r="3.5" fill="#fff" stroke="#767d8a" stroke-width="1.5"/>',
} as const;

const hands =
  '<path d="M8 4.8v3.5l2.2 1.4" fill="none" stroke="#fff" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/>';

/** The icon of the window has the colour of the device, and says how it is; `state` null: not known. */
export function showInIcon(state: Status["state"] | null): void {
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (link === null) return;
  const mark =
    state === "ok" ? "" : marks[state === null ? "unknown" : state === "attention" ? state : "failing"];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="m8 0 8 8-8 8-8-8Z" fill="${accentColour.read()}"/>${hands}${mark}</svg>`;
  link.href = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
