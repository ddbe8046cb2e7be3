import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { changeSettings, consoleOf, names, signIn, signInByForm } from "../../lab/console/browser.ts";
import { isFirefox } from "../../lab/console/launch.ts";
import { assertFits, axe, brokenText, looks, picture, rgb, stepTo } from "../../lab/console/page-checks.ts";
import { type Accent, accents } from "../../src/contract/console/accents.ts";

/** The colours of the sign beside the device's name, and of the line above it. */
function coloursIn(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => [
    getComputedStyle(document.querySelector(".device > .shape") as Element).color,
    getComputedStyle(document.querySelector(".frame-head, .outside") as Element, "::before").backgroundColor,
  ]);
}

async function untilColoured(page: Page, colour: string): Promise<void> {
  await until(`the page is ${colour}`, async () =>
    (await coloursIn(page)).every((one) => one === rgb(colour)),
  );
}

async function untilDrawn(mark: Locator): Promise<void> {
  await mark.waitFor();
  await until("the mark is drawn", () => mark.evaluate((one) => (one as HTMLImageElement).naturalWidth > 0));
}

const iconOf = async (page: Page): Promise<string> =>
  decodeURIComponent((await page.locator("link[rel=icon]").getAttribute("href")) ?? "");

/** The icon is drawn after the page, in a frame of its own. */
function untilIconHas(page: Page, colour: string): Promise<void> {
  return until(`the icon is ${colour}`, async () => (await iconOf(page)).includes(colour));
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
    const colours = (
      [
        [1, 1],
        [14, 20],
        [20, 17],
      ] as const
    ).map(([x, y]) => {
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

describe("the colour of a device", () => {
  const { agent, browser } = consoleOf();
  const choose = (accent: Accent) => changeSettings(agent, { console: { accent } });

  it("is on the sign-in page, in the head and in the icon, in both schemes, and changes while one looks", async () => {
    await choose("teal");
    const { page } = await browser.open(agent);
    const [light, dark] = accents.teal;
    await page.goto("/");
    await page.locator("form").waitFor();
    await untilColoured(page, light);
    await untilIconHas(page, light);
    await picture(page, "face-sign-in-light");
    await page.emulateMedia({ colorScheme: "dark" });
    await untilColoured(page, dark);
    await picture(page, "face-sign-in-dark");
    await choose("olive");
    // The page asks again once it is looked at again.
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await untilColoured(page, accents.olive[1]);
    await untilIconHas(page, accents.olive[0]);
    await choose("teal");
    await signIn(page, "admin");
    await page.locator(".verdict").waitFor();
    await untilColoured(page, dark);
    await untilIconHas(page, light);
    await picture(page, "face-home-dark");
    await choose("magenta");
    await untilColoured(page, accents.magenta[1]);
    await untilIconHas(page, accents.magenta[0]);
    await page.emulateMedia({ colorScheme: "light" });
    await untilColoured(page, accents.magenta[0]);
    await picture(page, "face-home-light");
    await assertFits(page);
  });

  it("is that of the last visit before the agent has answered", async () => {
    await choose("olive");
    const { page } = await browser.open(agent);
    await page.goto("/");
    await page.locator("form").waitFor();
    await untilColoured(page, accents.olive[0]);
    let letGo: (value?: unknown) => void = () => undefined;
    const held = new Promise((resolve) => {
      letGo = resolve;
    });
    await page.route("**/assets/index-*.js", async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest("**/assets/index-*.js");
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
      const inColour = [white, rgb(light), white];
      for (const { src, sizes } of icons) {
        assert.deepEqual(await coloursOfIcon(page, src), { size: sizes, colours: inColour }, src);
        seen.add(src);
      }
      const touch = await coloursOfIcon(page, "/apple-touch-icon.png");
      assert.deepEqual(touch, { size: "180x180", colours: inColour });
    }
    // By their addresses a program that was kept knows that its icons have changed.
    assert.equal(seen.size, 2 * Object.keys(accents).length);
  });

  it("is chosen in the settings, by its name", async () => {
    await choose("blue");
    const page = await browser.signedIn(agent, "operator", "/system/settings?open=console", {
      language: "de",
    });
    await page.getByLabel("Farbe", { exact: true }).selectOption({ label: "Schiefergrau" });
    await page.getByRole("button", { name: "Speichern" }).click();
    await untilColoured(page, accents.slate[0]);
  });
});

describe("the width of a desk", () => {
  const { agent, browser } = consoleOf();
  const boxOf = async (page: Page, selector: string) => {
    const box = await page.locator(selector).boundingBox();
    assert.ok(box !== null, selector);
    return box;
  };

  it("has the tiles and the needs of Home beside the latest events from 1440 px on, and above them below that", async () => {
    const page = await browser.signedIn(agent, "admin", undefined, { width: 1440, height: 900 });
    await page.locator(".latest > li").first().waitFor();
    const wide = { tiles: await boxOf(page, ".tiles"), latest: await boxOf(page, ".latest") };
    assert.ok(wide.latest.x >= wide.tiles.x + wide.tiles.width, "the events are beside the tiles");
    assert.ok(wide.latest.y < wide.tiles.y + wide.tiles.height, "they begin at the same height");
    assert.ok(wide.latest.x + wide.latest.width > 1_350, "the width is used");
    await assertFits(page);
    await picture(page, "face-home-1440");
    await page.setViewportSize({ width: 1439, height: 900 });
    const narrow = { needs: await boxOf(page, ".needs"), latest: await boxOf(page, ".latest") };
    assert.ok(narrow.latest.y > narrow.needs.y + narrow.needs.height, "the events are below the needs");
    await assertFits(page);
    await page.setViewportSize({ width: 2560, height: 1440 });
    assert.ok((await boxOf(page, ".latest")).width < 640, "no line is longer than it can be read");
    await assertFits(page);
  });

  it("is used by lists, and not by forms", async () => {
    const page = await browser.signedIn(agent, "admin", "/users", { width: 1440, height: 900 });
    await page.locator(".table tbody tr").first().waitFor();
    assert.ok((await boxOf(page, ".table")).width > 1_300);
    await stepTo(page, "/account");
    assert.equal((await boxOf(page, "main form >> nth=0")).width, 420);
    await page.setViewportSize({ width: 1000, height: 900 });
    await stepTo(page, `/users/${names.admin}`);
    assert.equal((await boxOf(page, "main form >> nth=0")).width, 560);
  });
});

describe("the maker of the product", () => {
  const directory = scratchDirectory();
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const start = () => {
    const mark = file("mark.svg", drawing);
    const product = file("product.svg", productDrawing);
    const maker = {
      ...{ name: "Pumpworks פאמפ", mark, picture: product, support: "support@pumpworks.example" },
    };
    const hostFile = file("steward.json", JSON.stringify({ maker }));
    return startAgentInProcess({ arguments: ["--host-file", hostFile] });
  };
  const { agent, browser } = consoleOf(start);

  it("is on the sign-in page with its mark and the address at which it helps", async () => {
    const { page } = await browser.open(agent);
    await page.goto("/");
    const mark = page.getByRole("img", { name: "Pumpworks" });
    await untilDrawn(mark);
    const link = page.getByRole("link", { name: "support@pumpworks.example" });
    assert.equal(await link.getAttribute("href"), "mailto:support@pumpworks.example");
    assert.equal(await page.evaluate(() => document.title.includes("script ran")), false);
    assert.deepEqual(await axe(page), []);
    for (const [look, colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await assertFits(page);
      await picture(page, `face-maker-${look}`);
    }
    await page.setViewportSize({ width: 320, height: 600 });
    await assertFits(page);
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
    assert.deepEqual([await page.locator(".device > .shape").count(), await axe(page)], [0, []]);
    for (const width of [1440, 1280, 1279, 901, 801, 641, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await assertFits(page);
      assert.deepEqual(await brokenText(page), [], `${width}`);
      const { height = 0 } = (await mark.boundingBox()) ?? {};
      assert.equal(height, 28, `at ${width}`);
      await picture(page, `face-maker-head-${width}`);
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
    await page.getByRole("region", { name: "Maker", exact: true }).getByText("Pumpworks פאמפ").waitFor();
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
    await section.getByText("Pumpworks פאמפ").waitFor();
    await untilDrawn(section.locator(".mark"));
    await untilDrawn(section.getByRole("img", { name: "Picture of the product" }));
    const help = { name: "support@pumpworks.example" };
    assert.equal(await section.getByRole("link", help).getAttribute("href"), `mailto:${help.name}`);
    assert.deepEqual(await axe(page), []);
    for (const [look, colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 1_200 });
      await assertFits(page);
      await picture(page, `face-maker-device-${look}`);
    }
    await page.getByRole("button", { name: "Device sheet" }).click();
    await page.getByRole("dialog").getByRole("link", help).waitFor();
    await page.emulateMedia({ media: "print" });
    assert.match(
      await page.locator("body").innerText(),
      /Maker\s+Pumpworks פאמפ\s*support@pumpworks\.example/,
    );
    await untilDrawn(page.locator(".paper .mark"));
    await untilDrawn(page.locator(".paper .product"));
    await picture(page, "face-maker-paper");
  });
});

/** Larger than its place. */
const productDrawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="900"><rect width="1600" height="900" fill="#789"/><circle cx="800" cy="450" r="300" fill="#fff"/></svg>';

/** Wider than its place, and with a script, which no picture runs. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="120" viewBox="0 0 640 120">
<script>top.document.title = "script ran"; location.href = "/script-ran";</script>
<circle cx="60" cy="60" r="50" fill="#c2571a"/><path d="M140 40h460v40H140Z" fill="#767d8a"/></svg>`;
