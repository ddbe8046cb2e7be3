import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { qrSvg, qrTerminal } from "../../../src/accounts/second-factor/qr.ts";
import { makeSecret, otpauthUri } from "../../../src/accounts/second-factor/totp.ts";

const directory = scratchDirectory();

const uri = await otpauthUri({
  issuer: "Steward edge 7",
  account: "maria.lopez",
  secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
});

/** Reads a picture with an independent reader. */
function decode(picture: Buffer, form: "png" | "pgm"): string {
  const path = join(directory, `picture.${form}`);
  writeFileSync(path, picture);
  return execFileSync("zbarimg", ["--nodbus", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", path], {
    encoding: "utf8",
  }).replace(/\n$/, "");
}

/** The picture on a page of this colour. */
function paint(svg: string, background: string): Buffer {
  return execFileSync("rsvg-convert", ["--width=600", `--background-color=${background}`], { input: svg });
}

/** Lines of half blocks as a screen shows them, 6 pixels a module, with some of the screen around. */
function screen(lines: readonly string[], foreground: number, background: number): Buffer {
  const rows = lines.flatMap((line) => {
    const shades = (drawn: string) =>
      [...line].map((block) => (drawn.includes(block) ? foreground : background));
    return [shades("█▀"), shades("█▄")];
  });
  const width = rows[0]?.length ?? 0;
  const margin = Array.from({ length: 8 }, () => Array<number>(width).fill(background));
  const framed = [...margin, ...rows, ...margin].map((row) => [...Array<number>(8).fill(background), ...row]);
  const pixels = framed.flatMap((row) => {
    const wide = row.flatMap((shade) => Array<number>(6).fill(shade));
    return Array.from({ length: 6 }, () => wide).flat();
  });
  return Buffer.concat([
    Buffer.from(`P5 ${(width + 8) * 6} ${framed.length * 6} 255\n`),
    Buffer.from(pixels),
  ]);
}

/** The blocks between "black on white" and "as before". */
function withoutColour(line: string): string {
  const [start, end] = ["\u001b[30;47m", "\u001b[0m"];
  assert.ok(line.startsWith(start) && line.endsWith(end), JSON.stringify(line));
  return line.slice(start.length, -end.length);
}

describe("the QR code as SVG", () => {
  for (const background of ["white", "black", "gray"]) {
    it(`is read by an independent reader, on a ${background} page`, async () => {
      assert.equal(decode(paint(await qrSvg(uri), background), "png"), uri);
    });
  }

  it("is read with names and secrets of all lengths", async () => {
    for (let length = 1; length <= 120; length += 7) {
      const issuer = "東京 edge-".repeat(12).slice(0, length);
      const account = "m".repeat(1 + (length % 32));
      const text = await otpauthUri({ issuer, account, secret: await makeSecret() });
      assert.equal(decode(paint(await qrSvg(text), "white"), "png"), text);
    }
  });

  it("is well-formed, square and says its colours itself", async () => {
    const svg = await qrSvg(uri);
    const [, width, height] =
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
    assert.equal(width, height);
    assert.match(
      svg,
      new RegExp(
        `<path fill="#fff" d="M0 0h${width}v${width}h-${width}z"/><path fill="#000" d="[Mhvz0-9 -]+"/></svg>$`,
      ),
    );
    execFileSync("rsvg-convert", { input: svg });
  });

  it("holds nothing that a page's policy would refuse", async () => {
    assert.doesNotMatch(await qrSvg(uri), /script|style|href|\bon\w+=|url\(|&/i);
  });

  it("keeps four modules free on each side", async () => {
    const svg = await qrSvg(uri);
    const size = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
    const runs = [...svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)].map(([, x, y, width]) =>
      [x, y, width].map(Number),
    );
    assert.equal(Math.min(...runs.map(([x = 0]) => x)), 4);
    assert.equal(Math.min(...runs.map(([, y = 0]) => y)), 4);
    assert.equal(Math.max(...runs.map(([x = 0, , width = 0]) => x + width)), size - 4);
    assert.equal(Math.max(...runs.map(([, y = 0]) => y)), size - 5);
  });

  it("lets nothing of the text into the document", async () => {
    assert.doesNotMatch(await qrSvg('"/><script>alert(1)</script>'), /script/);
  });

  it("of more than a QR code holds is refused", async () => {
    assert.equal(decode(paint(await qrSvg("x".repeat(1_000)), "white"), "png"), "x".repeat(1_000));
    await assert.rejects(qrSvg("x".repeat(2_954)), RangeError);
  });
});

describe("the QR code in a terminal", () => {
  const [black, white] = [0, 255];

  it("with colour is read as the terminal shows it: black on white, whatever its theme", async () => {
    const lines = await qrTerminal(uri, { hasColour: true });
    const shown = lines.map(withoutColour);
    for (const line of shown) assert.match(line, /^[ █▀▄]+$/);
    assert.equal(decode(screen(shown, black, white), "pgm"), uri);
  });

  it("without colour is read where text is light on dark, as on consoles", async () => {
    const lines = await qrTerminal(uri, { hasColour: false });
    for (const line of lines) assert.match(line, /^[ █▀▄]+$/);
    assert.equal(decode(screen(lines, white, black), "pgm"), uri);
  });

  it("keeps four light modules on each side", async () => {
    const lines = await qrTerminal(uri, { hasColour: false });
    const isLight = (text: string | undefined) => /^█+$/.test(text ?? "");
    // Below the last row the other half of its characters is light too.
    assert.deepEqual([lines[0], lines[1], lines.at(-1), lines.at(-2)].map(isLight), [true, true, true, true]);
    for (const line of lines) assert.ok(isLight(line.slice(0, 4)) && isLight(line.slice(-4)), line);
  });
});
