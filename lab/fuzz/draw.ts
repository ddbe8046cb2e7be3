import type { Chance } from "../basics/chance.ts";

/** A whole number from 0 to `below` - 1. */
export function draw(chance: Chance, below: number): number {
  return Math.floor(chance.uniform() * below);
}

/** One of them. Throws where there is none. */
export function oneOf<T>(chance: Chance, items: readonly T[]): T {
  const item = items[draw(chance, items.length)];
  if (items.length === 0) throw new Error("there is nothing to draw from");
  return item as T;
}

/** True so many times in a hundred. */
export function percent(chance: Chance, share: number): boolean {
  return chance.uniform() * 100 < share;
}

/** Texts that programs have stumbled over, and some that look harmless. */
const awkwardTexts: readonly string[] = [
  ...["", " ", "\u0000", "a\u0000b", "\r\nX-Evil: 1", "\u2028", "\u202eevil", "\ud800", "\ufeff", "ﬁ", "ß"],
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "null", "undefined", "NaN"],
  ...[
    "../../../etc/passwd",
    "..%2f..%2f",
    "%00",
    "%zz",
    "$(id)",
    "`id`",
    "; reboot",
    "' OR 1=1 --",
    "{{7*7}}",
  ],
  ...["-1", "0", "1e309", "9007199254740993", "0x10", "2026-02-30T25:61:61Z", "P1D", "1s1s", "99999999999d"],
  ...[
    "http://127.0.0.1:9/",
    "file:///etc/passwd",
    "[::1",
    "127.0.0.1:99999",
    "Bearer a.b.c",
    "usr_",
    "<svg/>",
  ],
];

/** Texts that fit the patterns of the contract, so that each of those has some. No server among them is a real one. */
const plausibleTexts: readonly string[] = [
  ...["90s", "5m", "30m", "1h", "6h", "1h30m", "24h", "7d", "30d", "366d", "250ms"],
  ...["127.0.0.1", "127.0.0.2:9", "[::1]:9", "192.0.2.7", "ntp.invalid", "a.b.invalid:123"],
  ...["https://127.0.0.1:9/repository", "https://updates.invalid/", "https://[::1]:9/"],
  ...["en", "de", "pt-BR", "stable", "beta", "02:00-04:00", "Mon-Fri 22:00-06:00", "1.2.3", "0.0.1-rc.1"],
  ...["2026-11-20T08:00:00.000Z", "2026-11-20T08:00:00Z", "Europe/Berlin", "UTC", "box-7", "steward.service"],
  ...["Kiosk 7, hall B", "größer – 100 %", "日本語", "a", "quiet otters borrow umbrellas"],
];

/** Any text. */
export function anyText(chance: Chance): string {
  if (percent(chance, 45)) return oneOf(chance, awkwardTexts);
  if (percent(chance, 45)) return oneOf(chance, plausibleTexts);
  if (percent(chance, 8)) return oneOf(chance, awkwardTexts).repeat(1 + draw(chance, 300));
  return String.fromCharCode(...Array.from({ length: draw(chance, 40) }, () => draw(chance, 0x2ff)));
}

/** True where it may have been drawn, and so is no secret of anyone. */
export function isDrawn(text: string): boolean {
  return [...awkwardTexts, ...plausibleTexts].some((known) => known !== "" && text.startsWith(known));
}

/** A text that fits `pattern`, or any text where none that is known does. */
export function textFor(chance: Chance, pattern: RegExp, mostLength: number): string {
  const hex = Array.from({ length: 32 }, () => draw(chance, 16).toString(16)).join("");
  const made = [`usr_${hex}`, `ses_${hex}`, `tok_${hex}`, `user-${hex.slice(0, 8)}`, hex, hex.slice(0, 6)];
  // Hashes, and the lines of counts of failures.
  const [key, other] = [hex.slice(0, 12), hex.slice(12, 24)];
  made.push(`${hex}${hex}`, `${key} 3 90`, `${key} ${other} 90`, `${key} ${other} 3 90`);
  const fitting = [...plausibleTexts, ...made].filter(
    (text) => text.length <= mostLength && pattern.test(text),
  );
  return fitting.length > 0 ? oneOf(chance, fitting) : anyText(chance);
}

/** Any JSON, to a depth. */
export function anyJson(chance: Chance, depth = 3): unknown {
  const kind = draw(chance, depth > 0 ? 8 : 5);
  if (kind === 0) return anyText(chance);
  if (kind === 1) return oneOf(chance, [0, -1, 1, 1.5, 1e308, -0, 2 ** 53, 65_536]);
  if (kind === 2) return percent(chance, 50);
  if (kind === 3) return null;
  if (kind === 4) return percent(chance, 50) ? [] : {};
  const count = draw(chance, 4);
  if (kind === 5) return Array.from({ length: count }, () => anyJson(chance, depth - 1));
  const members = Array.from({ length: count }, () => [anyText(chance), anyJson(chance, depth - 1)] as const);
  return Object.fromEntries(members);
}

/** The same bytes with some of them changed, left out, doubled or put elsewhere. */
export function spoiltBytes(chance: Chance, bytes: Buffer): Buffer {
  let spoilt = Buffer.from(bytes);
  for (let changes = 1 + draw(chance, 4); changes > 0 && spoilt.length > 0; changes -= 1) {
    const [at, length] = [draw(chance, spoilt.length), 1 + draw(chance, Math.min(64, spoilt.length))];
    const [before, after] = [spoilt.subarray(0, at), spoilt.subarray(at)];
    const kind = draw(chance, 6);
    if (kind === 0) spoilt[at] = (spoilt[at] ?? 0) ^ (1 << draw(chance, 8));
    else if (kind === 1) spoilt[at] = oneOf(chance, [0, 0xff, 0x7f, 0x80, 0x0a, 0x22, 0x30, 0x39]);
    else if (kind === 2) spoilt = Buffer.concat([before, after.subarray(length)]);
    else if (kind === 3) spoilt = Buffer.concat([before, after.subarray(0, length), after]);
    else if (kind === 4) spoilt = Buffer.from(before);
    else spoilt = Buffer.concat([before, randomBytes(chance, length), after.subarray(length)]);
  }
  return spoilt;
}

export function randomBytes(chance: Chance, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => draw(chance, 256)));
}

/** The same JSON with one member changed, left out or added, somewhere in it. */
export function spoiltJson(chance: Chance, value: unknown): unknown {
  const whole = structuredClone(value);
  const places: (readonly [holder: Record<string, unknown>, key: string])[] = [];
  collectPlaces(whole, places);
  if (places.length === 0) return anyJson(chance);
  const [holder, key] = oneOf(chance, places);
  const kind = draw(chance, 4);
  if (kind === 0) delete holder[key];
  else if (kind === 1) define(holder, anyText(chance), anyJson(chance, 1));
  else if (kind === 2) define(holder, key, anyJson(chance, 2));
  else define(holder, key, nearTo(chance, holder[key]));
  return whole;
}

/** As JSON.parse makes members: `__proto__` is one like others. */
function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  const shape = { value, enumerable: true, configurable: true, writable: true };
  if (!Array.isArray(holder)) Object.defineProperty(holder, key, shape);
  else if (/^\d{1,3}$/.test(key)) holder[Number(key)] = value;
  else holder.push(value);
}

function collectPlaces(value: unknown, places: (readonly [Record<string, unknown>, string])[]): void {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    places.push([holder, key]);
    collectPlaces(holder[key], places);
  }
}

function nearTo(chance: Chance, value: unknown): unknown {
  if (typeof value === "number") return value + oneOf(chance, [1, -1, 0.5, 1e9, -1e9, Number.MIN_VALUE]);
  if (typeof value === "boolean") return !value;
  if (typeof value !== "string") return [value, value];
  const at = draw(chance, value.length + 1);
  return value.slice(0, at) + oneOf(chance, [...awkwardTexts, "a", "0"]) + value.slice(at);
}
