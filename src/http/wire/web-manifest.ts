import type Koa from "koa";
import { accentOf } from "../../contract/console/accents.ts";
import { requireReading } from "./static-files.ts";

/** The address of the manifest; the page names it once it is drawn, so that it delays nothing. */
export const manifestPath = "/manifest.webmanifest";

const backgroundColour = "#ffffff";

/** A program that was kept looks for other icons only where their addresses change: the colour is a part of them. */
const iconsIn = (colour: string) =>
  [192, 512].flatMap((size) =>
    ["any", "maskable"].map((purpose) => ({
      src: `/icon-${size}.png?colour=${colour.slice(1)}`,
      sizes: `${size}x${size}`,
      type: "image/png",
      purpose,
    })),
  );

/** Serves the manifest (W3C) by which a phone keeps the console, in the device's name and colour. False: another request. */
export function createWebManifest({
  deviceName,
  accent,
}: {
  readonly deviceName: () => string;
  readonly accent: () => string;
}): (ctx: Koa.Context) => boolean {
  return (ctx) => {
    if (ctx.path !== manifestPath) return false;
    requireReading(ctx.method);
    const name = deviceName();
    const [colour] = accentOf(accent());
    ctx.set("Cache-Control", "no-cache");
    ctx.set("Content-Type", "application/manifest+json");
    ctx.body = JSON.stringify({
      id: "/",
      name,
      short_name: name,
      description: `Steward on ${name}`,
      start_url: "/",
      scope: "/",
      display: "standalone",
      background_color: backgroundColour,
      theme_color: colour,
      icons: iconsIn(colour),
    });
    return true;
  };
}
