import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { changeSettings, consoleOf, press, sees, signIn, signInByForm } from "../../lab/console/browser.ts";
import { isFirefox } from "../../lab/console/launch.ts";
import {
  assertFits,
  assertReads,
  assertSound,
  holdAnswers,
  picture,
  rgb,
  stepTo,
} from "../../lab/console/page-checks.ts";
import { type Accent, accents } from "../../src/contract/console/accents.ts";

/** The colours of the sign beside the device's name, and of the line above it. */
function coloursIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => [
    getComputedStyle(document.querySelector(".device > .shape") as Element).color,
    getComputedStyle(document.querySelector(".frame-head, .outside") as Element, "::before").backgroundColor,
  ]);
}

/** The icon is drawn after the page, in a frame of its own, and has the light scheme's colour. */
async function untilColoured(page: Page, accent: Accent, at: 0 | 1): Promise<void> {
  const colour = rgb(accents[accent][at]);
  await until(`the page is ${colour}`, async () => (await coloursIn(page)).every((one) => one === colour));
  const icon = page.locator("link[rel=icon]");
  await until(`the icon is ${accent}`, async () =>
    decodeURIComponent((await icon.getAttribute("href")) ?? "").includes(accents[accent][0]),
  );
}

async function untilDrawn(mark: Locator): Promise<void> {
  await mark.waitFor();
  await until("the mark is drawn", () => mark.evaluate((one) => (one as HTMLImageElement).naturalWidth > 0));
}

/** The colours of an icon as a browser draws it: of its corner, of its drawing, and of the hands in that. */
function coloursOfIcon(page: Page, address: string) {
  return page.evaluate(async (src) => {
    const icon = new Image();
    icon.src = src;
    await icon.decode();
    const { naturalWidth: width, naturalHeight: height } = icon;
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    canvas?.drawImage(icon, 0, 0);
    // In fortieths of the side: scripts/make-icons.sh draws 40 units of the drawing.
    const places = [
      [1, 1],
      [14, 20],
      [20, 17],
    ] as const;
    const colours = places.map(([x, y]) => {
      const pixel = canvas?.getImageData((x / 40) * width, (y / 40) * height, 1, 1).data ?? [];
      return `rgb(${[...pixel].slice(0, 3).join(", ")})`;
    });
    return { size: `${width}x${height}`, colours };
  }, address);
}

/** The manifest as the browser itself fetches and reads it. */
async function manifestOf(page: Page) {
  await page.locator("link[rel=manifest]").waitFor({ state: "attached" });
  if (isFirefox) return (await page.request.get("/manifest.webmanifest")).json();
  const debug = await page.context().newCDPSession(page);
  const { errors, data = "" } = await debug.send("Page.getAppManifest");
  await debug.detach();
  assert.deepEqual(errors, []);
  return JSON.parse(data);
}

/** By light, by night and on a phone. */
async function assertLooks(page: Page, name: string): Promise<void> {
  for (const [look, colorScheme, width] of [
    ["light", "light", 1280],
    ["dark", "dark", 1280],
    ["phone", "light", 320],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    if (look === "light") await assertSound(page, `${name}-${look}`);
    else await assertFits(page);
  }
}

describe("the colour of a device", () => {
  const { agent, browser } = consoleOf();
  const choose = (accent: Accent) => changeSettings(agent, { console: { accent } });

  it("is on the sign-in page, in the head and in the icon, in both schemes, and changes while one looks", async () => {
    await choose("teal");
    const { page } = await browser.open(agent);
    await page.goto("/");
    await page.locator("form").waitFor();
    await untilColoured(page, "teal", 0);
    await picture(page, "face-sign-in-light");
    await page.emulateMedia({ colorScheme: "dark" });
    await untilColoured(page, "teal", 1);
    await choose("olive");
    // The page asks again once it is looked at again.
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await untilColoured(page, "olive", 1);
    await signIn(page, "admin");
    await page.locator(".verdict").waitFor();
    await untilColoured(page, "olive", 1);
    await choose("magenta");
    await untilColoured(page, "magenta", 1);
    await page.emulateMedia({ colorScheme: "light" });
    await untilColoured(page, "magenta", 0);
    await picture(page, "face-home-light");
  });

  it("is that of the last visit before the agent has answered", async () => {
    await choose("olive");
    const { page } = await browser.open(agent);
    await page.goto("/");
    await page.locator("form").waitFor();
    await untilColoured(page, "olive", 0);
    const asked = page.waitForRequest("**/assets/index-*.js");
    const letGo = await holdAnswers(page, "**/assets/index-*.js");
    const reloaded = page.reload();
    await asked;
    await page.locator(".outside .device", { hasText: "Steward" }).waitFor();
    assert.deepEqual(await coloursIn(page), [rgb(accents.olive[0]), rgb(accents.olive[0])]);
    letGo();
    await reloaded;
    await page.locator("form").waitFor();
  });

  it("is in the manifest and the icons with which a phone keeps the console, and changes with it", async () => {
    const { page } = await browser.open(agent);
    const white = "rgb(255, 255, 255)";
    const seen = new Set<string>();
    for (const [accent, [light]] of Object.entries(accents)) {
      await choose(accent as Accent);
      await page.goto("/");
      const { theme_color, icons } = await manifestOf(page);
      assert.equal(theme_color, light);
      for (const { src, sizes } of [...icons, { src: "/apple-touch-icon.png", sizes: "180x180" }]) {
        const expected = { size: sizes, colours: [white, rgb(light), white] };
        assert.deepEqual(await coloursOfIcon(page, src), expected, src);
        seen.add(src);
      }
    }
    // By their addresses a program that was kept knows that its icons have changed.
    assert.equal(seen.size, 2 * Object.keys(accents).length + 1);
  });

  it("leaves the width of a desk to Home's latest events, beside the tiles and the needs from 1440 px on", async () => {
    const page = await browser.signedIn(agent, "admin", undefined, { width: 1440, height: 900 });
    const boxOf = async (selector: string) =>
      (await page.locator(selector).boundingBox()) ?? assert.fail(selector);
    await page.locator(".latest > li").first().waitFor();
    const [tiles, latest] = [await boxOf(".tiles"), await boxOf(".latest")];
    assert.ok(latest.x >= tiles.x + tiles.width, "the events are beside the tiles");
    assert.ok(latest.y < tiles.y + tiles.height, "they begin at the same height");
    assert.ok(latest.x + latest.width > 1_350, "the width is used");
    await assertFits(page);
    await page.setViewportSize({ width: 1439, height: 900 });
    const needs = await boxOf(".needs.to-do");
    assert.ok((await boxOf(".latest")).y > needs.y + needs.height, "the events are below the needs");
    await assertFits(page);
    await page.setViewportSize({ width: 2560, height: 1440 });
    assert.ok((await boxOf(".latest")).width < 640, "no line is longer than it can be read");
    await assertFits(page);
  });
});

/** Larger than its place. */
const productDrawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="900"><rect width="1600" height="900" fill="#789"/><circle cx="800" cy="450" r="300" fill="#fff"/></svg>';

/** Wider than its place, and with a script, which no picture runs. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="120" viewBox="0 0 640 120">
<script>top.document.title = "script ran"; location.href = "/script-ran";</script>
<circle cx="60" cy="60" r="50" fill="#c2571a"/><path d="M140 40h460v40H140Z" fill="#767d8a"/></svg>`;

describe("the maker of the product", () => {
  const directory = scratchDirectory();
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const start = () => {
    const [mark, product] = [file("mark.svg", drawing), file("product.svg", productDrawing)];
    const maker = {
      ...{ name: "Pumpworks פאמפ", mark, picture: product, support: "support@pumpworks.example" },
    };
    const hostFile = file("steward.json", JSON.stringify({ maker }));
    return startAgentInProcess({ arguments: ["--host-file", hostFile] });
  };
  const { agent, browser } = consoleOf(start);
  const help = { name: "support@pumpworks.example" };

  it("is on the sign-in page with its mark and the address at which it helps", async () => {
    const { page } = await browser.open(agent);
    await page.goto("/");
    await untilDrawn(page.getByRole("img", { name: "Pumpworks" }));
    assert.equal(await page.getByRole("link", help).getAttribute("href"), `mailto:${help.name}`);
    assert.equal(await page.evaluate(() => document.title.includes("script ran")), false);
    await assertLooks(page, "face-maker");
  });

  it("has its mark in the head in place of Steward's sign, also before the agent is asked, and it fits", async () => {
    await changeSettings(agent, { device: { name: "hamburg-branch-warehouse-07" } });
    const { page } = await browser.open(agent);
    await signInByForm(page, "admin");
    const mark = page.locator(".frame-head .device > .mark");
    await untilDrawn(mark);
    await page.evaluate(() => localStorage.setItem("steward-language", "de"));
    await page.route("**/api/console", (route) => route.abort());
    await page.reload();
    await page.locator(".verdict").waitFor();
    await untilDrawn(mark);
    assert.equal(await page.locator(".device > .shape").count(), 0);
    await assertSound(page, "face-maker-head");
    for (const width of [1440, 1279, 901, 801, 641, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await assertReads(page);
      assert.equal((await mark.boundingBox())?.height, 28, `at ${width}`);
    }
  });

  it("has no mark where the agent gives none out: Steward's sign is there again", async () => {
    const { page } = await browser.open(agent);
    await page.route("**/maker-mark", (route) => route.fulfill({ status: 404, body: "" }));
    const refused = page.waitForResponse("**/maker-mark");
    await signInByForm(page, "readonly");
    await refused;
    await page.locator(".frame-head .device > .shape").waitFor();
    await stepTo(page, "/system/device");
    await sees(page.getByRole("region", { name: "Maker", exact: true }), "Pumpworks פאמפ");
    assert.equal(await page.locator(".mark").count(), 0);
  });

  it("runs no script in its mark where that is opened as a page", async () => {
    const { page } = await browser.open(agent);
    // Firefox blocks it and says nothing.
    const blocked = isFirefox
      ? null
      : page.waitForEvent("console", { predicate: (line) => /script/.test(line.text()) });
    await page.goto("/maker-mark");
    if (blocked !== null) assert.match((await blocked).text(), /^Blocked script execution/);
    assert.equal(await page.title(), "");
    assert.equal(new URL(page.url()).pathname, "/maker-mark");
  });

  it("is on the page about the device and on its sheet, for every role", async () => {
    const page = await browser.signedIn(agent, "readonly", "/system/device");
    const section = page.getByRole("region", { name: "Maker", exact: true });
    await sees(section, "Pumpworks פאמפ");
    await untilDrawn(section.locator(".mark"));
    await untilDrawn(section.getByRole("img", { name: "Picture of the product" }));
    assert.equal(await section.getByRole("link", help).getAttribute("href"), `mailto:${help.name}`);
    await assertLooks(page, "face-maker-device");
    await press(page, "Device sheet");
    await page.getByRole("dialog").getByRole("link", help).waitFor();
    await page.emulateMedia({ media: "print" });
    const text = await page.locator("body").innerText();
    assert.match(text, /Maker\s+Pumpworks פאמפ\s*support@pumpworks\.example/);
    await untilDrawn(page.locator(".paper .mark"));
    await untilDrawn(page.locator(".paper .product"));
  });
});
