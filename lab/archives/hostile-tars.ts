import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { counted } from "../basics/counts.ts";
import { longEntry, paxHeader, type TarEntry, tarEnd, tarEntry, writeGzip } from "./tar-writer.ts";

/** A payload that no device may unpack, though it may well be signed. */
export interface HostileTar {
  /** Also the release's name: `^[a-z0-9-]+$`. */
  readonly name: string;
  /** The archive, without its end. */
  readonly pieces: () => Iterable<Buffer>;
  readonly hasNoEnd?: boolean;
  readonly level?: number;
  /** Spoils the compressed file at the end. */
  readonly spoil?: (gzip: Buffer) => Buffer;
  /** By the message of `update_payload_unsafe`. */
  readonly refusal: RegExp;
}

const content = Buffer.from("content");
const directory = (name: string): TarEntry => ({ name, type: "5", mode: 0o755 });
const link = (name: string, linkname: string): TarEntry => ({ name, type: "2", mode: 0o777, linkname });
const file = (name: string | Buffer): TarEntry => ({ name, content });
const hard = (name: string, linkname: string): TarEntry => ({ name, type: "1", linkname });

/** A file of GNU's older sparse form, by the numbers of its map and its size with holes. */
function sparse(
  name: string,
  numbers: readonly number[],
  sizeBytes: number,
  more: Partial<TarEntry> = {},
): TarEntry {
  return { name, type: "S", content, map: { numbers, sizeBytes }, ...more };
}

/** A file of pax's sparse form, by its map and its size with holes. */
function paxHoles(map: string, sizeBytes: number | string, stored = content, name = "evil"): Buffer {
  const lines = Buffer.from(map);
  const padding = Buffer.alloc((512 - (lines.length % 512)) % 512);
  const form = { "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": name };
  const records = paxHeader({ ...form, "GNU.sparse.realsize": String(sizeBytes) });
  return Buffer.concat([
    records,
    tarEntry({ name: "GNUSparseFile.1/evil", content: Buffer.concat([lines, padding, stored]) }),
  ]);
}

/** Each begins with a harmless file, so that there is something to be left behind. */
function of(name: string, refusal: RegExp, ...entries: (TarEntry | Buffer)[]): HostileTar {
  const all = [file("harmless"), ...entries];
  return { name, refusal, pieces: () => all.map((one) => (Buffer.isBuffer(one) ? one : tarEntry(one))) };
}

const names: readonly HostileTar[] = [
  of("parent", /"\.\.\/evil" has "\.\." in its name/, file("../evil")),
  of("parent-inside", /has "\.\."/, directory("a/"), file("a/../../evil")),
  of("parent-directory", /has "\.\."/, directory("../")),
  of("parent-long", /has "\.\."/, longEntry({ name: `${"a/".repeat(60)}../../evil`, content })),
  of("parent-pax", /has "\.\."/, paxHeader({ path: "../evil" }), file("evil")),
  of("absolute", /"\/etc\/evil" is an absolute name/, file("/etc/evil")),
  of("absolute-pax", /is an absolute name/, paxHeader({ path: "/etc/evil" }), file("evil")),
  of("dot-file", /"\." has no name/, file(".")),
  of("dots-file", /has no name/, file("./././.")),
  of("no-name", /has no name/, file("")),
  of("escape", /"e\\u\{1b\}\[2Jvil" has control characters/, file("e\x1b[2Jvil")),
  of("line-feed", /has control characters/, file("e\nvil")),
  of("nul-pax", /has control characters/, paxHeader({ path: "evil\0.txt" }), file("evil")),
  of("broken-utf-8", /has control characters or broken UTF-8/, file(Buffer.from([0x65, 0xff, 0xfe]))),
  of("long-component", /component of more than 255 bytes/, longEntry({ name: "e".repeat(256), content })),
  of("long-name", /is longer than 1024 bytes/, longEntry({ name: `${"evil/".repeat(205)}x`, content })),
  of("deep", /has more than 64 components/, longEntry({ name: `${"a/".repeat(64)}evil`, content })),
  of("twice", /"evil" appears twice/, file("evil"), file("evil")),
  of("twice-by-dots", /"evil" appears twice/, file("evil"), file("./././evil")),
  of(
    "file-as-directory",
    /"evil\/below" is below something that is not a directory/,
    file("evil"),
    file("evil/below"),
  ),
  of("directory-as-file", /appears twice/, directory("evil/"), file("evil")),
  of("link-over-file", /appears twice/, file("evil"), link("evil", "harmless")),
  of("file-over-link", /appears twice/, link("evil", "harmless"), file("evil")),
];

const notDirectory = /is below something that is not a directory/;
const tooMany = /more than 4096 links/;
const each = (entry: (index: number) => TarEntry) =>
  Array.from({ length: 4_097 }, (_, index) => entry(index));
const toNoEarlier = /is a hard link to no earlier file/;

const links: readonly HostileTar[] = [
  of("below-link", notDirectory, directory("a/"), link("evil", "a"), file("evil/file")),
  of("hard-link-absolute", /"evil" is an absolute name/, hard("evil", "/etc/passwd")),
  of("hard-link-out", /has "\.\."/, hard("evil", "../outside")),
  of("hard-link-to-itself", /"evil" is a hard link to no earlier file/, hard("evil", "evil")),
  of("hard-link-circle", /is a hard link to no earlier file/, hard("evil", "other"), hard("other", "evil")),
  of("hard-link-to-later", /is a hard link to no earlier file/, hard("evil", "later"), file("later")),
  of("hard-link-to-directory", /is a hard link to no earlier/, directory("a/"), hard("evil", "a")),
  of("hard-link-to-link", /is a hard link to no earlier/, link("l", "harmless"), hard("evil", "l")),
  of("hard-link-through-link", toNoEarlier, link("l", "../../.."), hard("evil", "l/etc/passwd")),
  of("hard-link-below-link", notDirectory, directory("a/"), link("l", "a"), hard("l/evil", "harmless")),
  of("hard-link-over-file", /"evil" appears twice/, file("evil"), hard("evil", "harmless")),
  of("hard-link-with-content", /has an impossible size/, { ...hard("evil", "harmless"), content }),
  of("hard-link-to-nothing", /has no name|no earlier file/, hard("evil", "")),
  of("hard-links-too-many", tooMany, ...each((i) => hard(`h${i}`, "harmless"))),
  of(
    "hard-links-that-multiply",
    /more than 4 GiB/,
    sparse("big", [0, 7], 2 ** 31),
    hard("a", "big"),
    hard("b", "big"),
  ),
  of("link-absolute", /is a link to an absolute name/, link("evil", "/etc/passwd")),
  of("link-out", /"evil" is a link that leads out of the release/, link("evil", "../outside")),
  of("link-out-deep", /leads out/, directory("a/"), directory("a/b/"), link("a/b/evil", "../../../outside")),
  of("link-to-top-parent", /leads out/, link("evil", "..")),
  of(
    "link-chain-out",
    /"evil" is a link that leads out/,
    ...["a/", "a/b/", "a/b/c/"].map(directory),
    // By its letters the second one leads to `a`; as the kernel goes, `a/b/c/up/..` is the release and there is one more.
    link("a/b/c/up", "../.."),
    link("evil", "a/b/c/up/../.."),
  ),
  of("link-chain-backwards", /leads out/, link("evil", "later/.."), directory("a/"), link("later", "a/..")),
  of("link-circle", /leads in a circle/, link("a", "b"), link("b", "a")),
  of("link-nowhere", /is a link with an empty target/, paxHeader({ linkpath: "" }), link("evil", "")),
  of("links-too-many", tooMany, ...each((i) => link(`l${i}`, "harmless"))),
];

const wrongSize = /has an impossible size|archive is damaged/;

const kinds: readonly HostileTar[] = [
  of("character-device", /"evil" is a device/, { name: "evil", type: "3" }),
  of("block-device", /is a device/, { name: "evil", type: "4" }),
  of("fifo", /is a fifo/, { name: "evil", type: "6" }),
  of("unknown", /is neither a file, a directory nor a link/, { name: "evil", type: "Z", content }),
  of("multi-volume", /continues a file of another volume/, { name: "evil", type: "M", content }),
  of("incremental", /is part of an incremental backup/, { name: "evil/", type: "D", content }),
  of("setuid", /would run with other rights/, { ...file("evil"), mode: 0o4755 }),
  of("setgid", /would run with other rights/, { ...file("evil"), mode: 0o2755 }),
  of("directory-of-a-size", wrongSize, { ...directory("evil/"), size: 512 }),
  of("negative-size", wrongSize, { ...file("evil"), size: Buffer.alloc(12, 0xff) }),
  of("size-beyond", /is truncated|archive is damaged/, { ...file("evil"), size: 1_000_000 }),
];

const otherForm = /has holes in another form/;

/** 7 bytes are stored of each. */
const maps: readonly HostileTar[] = [
  of("sparse-terabytes", /it holds more than 4 GiB/, sparse("evil", [0, 7], 2 ** 42)),
  of("sparse-beyond-numbers", otherForm, sparse("evil", [0, 7], 2 ** 62)),
  of("sparse-overlap", otherForm, sparse("evil", [0, 4, 3, 3], 100)),
  of("sparse-backwards", otherForm, sparse("evil", [50, 4, 0, 3], 100)),
  of("sparse-beyond-its-end", otherForm, sparse("evil", [98, 7], 100)),
  of("sparse-more-than-stored", otherForm, sparse("evil", [0, 8], 100)),
  of("sparse-less-than-stored", otherForm, sparse("evil", [0, 6], 100)),
  of("sparse-without-end", /or more than 16384/, sparse("evil", manyHoles(20_000), 2 ** 30)),
  of("sparse-continued-by-content", otherForm, sparse("evil", [0, 7], 100, { isContinued: true })),
  of("sparse-pax-terabytes", /it holds more than 4 GiB/, paxHoles("1\n0\n7\n", 2 ** 42)),
  of("sparse-pax-overlap", otherForm, paxHoles("2\n0\n4\n3\n3\n", 100)),
  of("sparse-pax-negative", otherForm, paxHoles("1\n-1\n7\n", 100)),
  of("sparse-pax-no-number", otherForm, paxHoles("1\n0\n7e0\n", 100)),
  of("sparse-pax-no-size", otherForm, paxHoles("1\n0\n7\n", "")),
  of("sparse-pax-millions", /or more than 16384/, paxHoles("9000000\n0\n7\n", 100)),
  of("sparse-pax-short-map", otherForm, paxHoles("5\n0\n7\n", 100)),
  of("sparse-pax-long-map", otherForm, paxHoles("1\n0\n7\n8\n0\n", 100)),
  of("sparse-pax-no-map", otherForm, paxHoles("", 100)),
  of("sparse-pax-endless-line", otherForm, paxHoles("1".repeat(4_096), 100)),
  of("sparse-pax-0.1", otherForm, paxHeader({ "GNU.sparse.map": "0,7" }), file("evil")),
  of("sparse-pax-out", /has "\.\."/, paxHoles("1\n0\n7\n", 9, content, "../evil")),
  of("size-for-all", /one name or size for all/, paxHeader({ size: "1" }, "g"), file("evil")),
];

function manyHoles(segments: number): number[] {
  return Array.from({ length: segments }, (_, index) => [index * 1_024, index < 7 ? 1 : 0]).flat();
}

const plain = (name: string, refusal: RegExp, rest: Partial<HostileTar>): HostileTar => ({
  ...of(name, refusal, { name: "random", content: randomBytes(200_000) }),
  ...rest,
});

const forms: readonly HostileTar[] = [
  plain("gzip-cut-off", /its compressed data are damaged/, { spoil: (gzip) => gzip.subarray(0, -10_000) }),
  plain("gzip-without-sum", /its compressed data are damaged/, { spoil: (gzip) => gzip.subarray(0, -8) }),
  plain("gzip-changed", /its compressed data are damaged/, {
    spoil: (gzip) => Buffer.from(gzip).fill(0x55, 100_000, 100_004),
  }),
  plain("gzip-with-more", /after the end of its compressed data|damaged/, {
    spoil: (gzip) => Buffer.concat([gzip, Buffer.from("and more")]),
  }),
  plain("gzip-with-zeros-and-more", /after the end of its compressed data/, {
    spoil: (gzip) => Buffer.concat([gzip, Buffer.alloc(100_000), Buffer.from("and more")]),
  }),
  plain("gzip-in-gzip", /it is packed twice: there is a file of gzip in its gzip/, {
    spoil: (gzip) => gzipSync(gzip),
  }),
  plain("no-gzip", /it is not compressed by gzip/, { spoil: () => Buffer.from("ustar") }),
  plain("xz", /it is packed by xz, not by gzip/, { spoil: () => Buffer.from("fd377a585a0000", "hex") }),
  plain("tar-without-end", /its archive is truncated/, { hasNoEnd: true }),
  of("tar-with-more", /continues after the end of its archive/, tarEnd, Buffer.alloc(512, "garbage")),
  of("tar-behind-its-end", /continues after the end of its archive/, tarEnd, file("evil")),
  of("tar-behind-a-block", /continues after the end of its archive/, Buffer.alloc(512), file("evil")),
  { ...of("no-tar", /it has no tar in it/), pieces: () => [Buffer.alloc(2_048, "garbage")] },
  { ...of("nothing", /it has no tar in it/), pieces: () => [], hasNoEnd: true },
];

/** Those that are made and refused in no time. */
export const hostileTars: readonly HostileTar[] = [...names, ...links, ...kinds, ...maps, ...forms];

/** Each has 1,000 files. Together they are more than may be unpacked, and the rest must not even be read. */
const batches = counted({ usual: 80, all: 1_000 });

function* manyFiles(): Generator<Buffer> {
  for (let batch = 0; batch < batches; batch += 1) {
    const entries = Array.from({ length: 1_000 }, (_, index) =>
      tarEntry({ name: `f${batch * 1_000 + index}` }),
    );
    yield Buffer.concat(entries);
  }
}

function* zeros(sizeBytes: number): Generator<Buffer> {
  yield tarEntry({ name: "bomb", size: sizeBytes });
  const piece = Buffer.alloc(1024 ** 2);
  for (let written = 0; written < sizeBytes; written += piece.length) yield piece;
}

/** Empty files. */
export const endlessEntries: HostileTar = {
  name: "endless-entries",
  pieces: manyFiles,
  level: 1,
  refusal: /it has more than 65536 entries/,
};

/** Zeros, a thousandth of them as a payload: many times what may be written of them, which is a MiB. */
const bombMiB = counted({ usual: 128, all: 1_024 });

export const bomb: HostileTar = {
  name: "bomb",
  pieces: () => zeros(bombMiB * 1024 ** 2),
  refusal: /it grows to more than 100 times its size/,
};

/** A file of bytes that do not compress. */
export function bigTar(name: string, sizeBytes: number): Omit<HostileTar, "refusal"> {
  return { name, level: 1, pieces: () => [tarEntry({ name: "big", content: randomBytes(sizeBytes) })] };
}

/** Writes the payload. */
export async function writeHostileTar(path: string, tar: Omit<HostileTar, "refusal">): Promise<void> {
  const { pieces, hasNoEnd = false, level, spoil } = tar;
  const whole = function* (): Generator<Buffer> {
    yield* pieces();
    if (!hasNoEnd) yield tarEnd;
  };
  await writeGzip(path, whole(), level);
  if (!spoil) return;
  const spoilt = spoil(readFileSync(path));
  rmSync(path);
  writeFileSync(path, spoilt);
}
