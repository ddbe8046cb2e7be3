import fc, { type Arbitrary } from "fast-check";

/** Texts that programs have stumbled over, besides those that fast-check draws itself, such as `__proto__`. */
const awkwardTexts: readonly string[] = [
  ...["", " ", "\u0000", "a\u0000b", "\r\nX-Evil: 1", "\u2028", "\u202eevil", "\ud800", "\ufeff", "ﬁ", "ß"],
  ...["__proto__", "constructor", "../../../etc/passwd", "..%2f..%2f", "%00", "%zz", "$(id)", "; reboot"],
  ...["' OR 1=1 --", "-1", "0", "1e309", "9007199254740993", "2026-02-30T25:61:61Z", "1s1s", "99999999999d"],
  ...["http://127.0.0.1:9/", "file:///etc/passwd", "[::1", "127.0.0.1:99999", "Bearer a.b.c", "usr_", "NaN"],
];

/** Texts that fit the patterns of the contract. No server among them is a real one. */
export const plausibleTexts: readonly string[] = [
  ...["90s", "5m", "30m", "1h", "6h", "1h30m", "24h", "7d", "30d", "366d", "250ms", "1.2.3", "0.0.1-rc.1"],
  ...["127.0.0.1", "127.0.0.2:9", "[::1]:9", "192.0.2.7", "ntp.invalid", "a.b.invalid:123", "box-7", "a"],
  ...["https://127.0.0.1:9/repository", "https://updates.invalid/", "https://[::1]:9/", "steward.service"],
  ...["en", "de", "pt-BR", "stable", "beta", "02:00-04:00", "Mon-Fri 22:00-06:00", "Europe/Berlin", "UTC"],
  ...["2026-11-20T08:00:00.000Z", "2026-11-20T08:00:00Z", "Kiosk 7, hall B", "größer – 100 %", "日本語"],
  "quiet otters borrow umbrellas",
];

/** True where it may have been drawn, and so is no secret of anyone. */
export function isDrawn(text: string): boolean {
  return [...awkwardTexts, ...plausibleTexts].some((known) => known !== "" && text.startsWith(known));
}

/** One of them, each as often as its weight says. */
export function weighed<T>(...kinds: readonly (readonly [weight: number, Arbitrary<T>])[]): Arbitrary<T> {
  return fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Any text. */
export const texts: Arbitrary<string> = weighed(
  [9, fc.constantFrom(...awkwardTexts)],
  [6, fc.constantFrom(...plausibleTexts)],
  [5, fc.string({ unit: "binary", maxLength: 40 })],
  [
    1,
    fc.tuple(fc.constantFrom(...awkwardTexts), fc.integer({ min: 1, max: 300 })).map(([a, b]) => a.repeat(b)),
  ],
);

const numbers = fc.constantFrom(0, -1, 1, 1.5, 1e308, -0, 2 ** 53, 65_536);
const values = [texts, numbers, fc.boolean(), fc.constant(null)];

/** Any JSON. */
export const json: Arbitrary<unknown> = fc.anything({ key: texts, values, maxDepth: 3, maxKeys: 4 });

/** True about so many times in a hundred. */
export const mostly = (share: number): Arbitrary<boolean> =>
  weighed([share, fc.constant(true)], [100 - share, fc.constant(false)]);

/** Null as a rule: something about so many times in a hundred. */
export const rarely = <T>(share: number, arbitrary: Arbitrary<T>): Arbitrary<T | null> =>
  weighed<T | null>([share, arbitrary], [100 - share, fc.constant(null)]);

export function bytes(minLength: number, maxLength = minLength): Arbitrary<Buffer> {
  return fc.uint8Array({ minLength, maxLength }).map((drawn) => Buffer.from(drawn));
}

/** Puts these bytes in the place of so many; null: of those that are there once more. */
type Change = readonly [at: number, length: number, put: Buffer | null];

const edges = [...'\0\xff\x7f\x80\n"09'].map((letter) => Buffer.from(letter, "latin1"));

export const changes: Arbitrary<Change[]> = fc.array(
  fc.tuple(
    fc.maxSafeNat(),
    weighed([6, fc.constant(1)], [1, fc.constantFrom(0, 4, 64, Number.POSITIVE_INFINITY)]),
    weighed<Buffer | null>(
      [4, bytes(1)],
      [4, fc.constantFrom(...edges)],
      [1, fc.constantFrom(null, Buffer.alloc(0))],
      [1, bytes(1, 64)],
    ),
  ),
  { minLength: 1, maxLength: 4 },
);

/** The same bytes with some of them changed, left out, doubled or put elsewhere. */
export function spoiltBytes(whole: Buffer): Arbitrary<Buffer> {
  return changes.map((made) => spoil(whole, made));
}

export function spoil(whole: Buffer, made: readonly Change[]): Buffer {
  return made.reduce(changed, whole);
}

function changed(present: Buffer, [place, length, put]: Change): Buffer {
  const at = place % (present.length + 1);
  const there = present.subarray(at, at + length);
  const doubled = Buffer.concat([there.subarray(0, 64), there]);
  return Buffer.concat([present.subarray(0, at), put ?? doubled, present.subarray(at + there.length)]);
}

/** The same JSON with one member changed, left out or added, somewhere in it. */
export function spoiltJson(whole: unknown): Arbitrary<unknown> {
  return fc.tuple(fc.maxSafeNat(), fc.nat(3), texts, json).map(([at, kind, text, value]) => {
    const spoilt = structuredClone(whole);
    const places = placesIn(spoilt);
    const place = places[at % places.length];
    if (!place) return value;
    const [holder, key] = place;
    if (kind === 0) delete holder[key];
    else if (kind === 1) define(holder, text, value);
    else if (kind === 2) define(holder, key, value);
    else define(holder, key, nearTo(holder[key], text, at));
    return spoilt;
  });
}

/** The bytes of a file of JSON, spoilt as such or as JSON, which is more than once now and then. */
export function spoiltFile(whole: Buffer): Arbitrary<Buffer> {
  const once = spoiltJson(JSON.parse(whole.toString()));
  const spoilt = weighed([4, once], [1, once.chain(spoiltJson)]);
  const written = spoilt.map((value) => Buffer.from(JSON.stringify(value) ?? ""));
  return weighed([3, spoiltBytes(whole)], [7, written]);
}

function placesIn(value: unknown): [holder: Record<string, unknown>, key: string][] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [[holder, key], ...placesIn(holder[key])] as [never, string][]);
}

/** As JSON.parse makes members: `__proto__` is one like others. */
function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  const shape = { value, enumerable: true, configurable: true, writable: true };
  if (!Array.isArray(holder)) Object.defineProperty(holder, key, shape);
  else if (/^\d{1,3}$/.test(key)) holder[Number(key)] = value;
  else holder.push(value);
}

function nearTo(value: unknown, text: string, at: number): unknown {
  if (typeof value === "number") return value + ([1, -1, 0.5, 1e9, -1e9, Number.MIN_VALUE][at % 6] ?? 0);
  if (typeof value === "boolean") return !value;
  if (typeof value !== "string") return [value, value];
  const middle = at % (value.length + 1);
  return value.slice(0, middle) + text + value.slice(middle);
}
