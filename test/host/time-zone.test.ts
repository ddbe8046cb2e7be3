import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { compileHelper, startHelper } from "../../lab/host/helper-process.ts";
import { openTimeZone } from "../../src/host/linux/time-zone.ts";

/** The database of this computer, as Debian 13 has it: without the former names. */
const database = "/usr/share/zoneinfo";
const zones = [
  ...["Europe/Berlin", "Europe/Paris", "Asia/Tokyo", "Asia/Kolkata", "America/Los_Angeles"],
  ...["Etc/GMT+8", "UTC", "Etc/UTC", "Factory"],
];
const tables = ["tzdata.zi", "zone1970.tab", "zone.tab"];

function makeDatabase(into: string): void {
  for (const name of [...zones, ...tables]) {
    mkdirSync(dirname(join(into, name)), { recursive: true });
    copyFileSync(join(database, name), join(into, name));
  }
  mkdirSync(join(into, "posix"));
  symlinkSync("../Europe", join(into, "posix/Europe"));
  // As Debian has them.
  symlinkSync("../etc/localtime", join(into, "localtime"));
  symlinkSync("America/Los_Angeles", join(into, "posixrules"));
  writeFileSync(join(into, "Europe/Fake"), "no zone");
}

/** Berlin's rules with another past, as in another release of the database. */
function otherRelease(zone: string): Buffer {
  const bytes = readFileSync(join(database, zone));
  bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
  return bytes;
}

type Place = (at: { etc: string; zoneinfo: string }) => void;

const link =
  (target: string): Place =>
  ({ etc }) =>
    symlinkSync(target, join(etc, "localtime"));
const inDatabase =
  (name: string): Place =>
  ({ etc, zoneinfo }) =>
    symlinkSync(join(zoneinfo, name), join(etc, "localtime"));
const copy =
  (content: Buffer, hint?: string): Place =>
  ({ etc }) => {
    writeFileSync(join(etc, "localtime"), content);
    if (hint !== undefined) writeFileSync(join(etc, "timezone"), `${hint}\n`);
  };
/** Through a file of /etc that `make` makes. */
const linkTo =
  (own: string, make: (at: { zoneinfo: string }, path: string) => void): Place =>
  (at) => {
    make(at, join(at.etc, own));
    symlinkSync(own, join(at.etc, "localtime"));
  };
const hint =
  (name: string): Place =>
  ({ etc }) =>
    writeFileSync(join(etc, "timezone"), `${name}\n`);
const of = (name: string): Buffer => readFileSync(join(database, name));

describe("the time zone of this host", () => {
  const pacific = /Programs go by UTC; update windows go by US\/Pacific\..*tzdata-legacy/;
  /** A description of /etc/localtime; the name; the zone or the line that mends it, if it is a trouble; its facts in words. */
  const rows: readonly (readonly [string, Place, string, string?, RegExp?])[] = [
    ["an absolute link", inDatabase("Europe/Berlin"), "Europe/Berlin"],
    ["a relative link", link("../zoneinfo/Asia/Tokyo"), "Asia/Tokyo"],
    [
      "2 links",
      linkTo("writable", (at, own) => symlinkSync(join(at.zoneinfo, "Asia/Tokyo"), own)),
      "Asia/Tokyo",
    ],
    ["a link into posix", inDatabase("posix/Europe/Berlin"), "Europe/Berlin"],
    ["absent", () => undefined, "UTC"],
    ["absent, with a name that Debian wrote once", hint("Asia/Tokyo"), "UTC"],
    ["a copy", copy(of("Asia/Tokyo")), "Asia/Tokyo"],
    ["a copy of a former name", copy(of("Asia/Calcutta")), "Asia/Kolkata"],
    ["a copy of UTC", copy(of("Etc/UTC")), "UTC"],
    ["a copy beside its name", copy(of("Etc/UTC"), "Etc/UTC"), "Etc/UTC"],
    ["a copy beside another name", copy(of("Asia/Tokyo"), "Europe/Berlin"), "Asia/Tokyo"],
    ["an older copy beside its name", copy(otherRelease("Europe/Paris"), "Europe/Paris"), "Europe/Paris"],
    ["an older copy", copy(otherRelease("Asia/Tokyo")), "unknown", "Asia/Tokyo", /copy.*go by Asia\/Tokyo/],
    ["a link to a copy", linkTo("own", (_, own) => writeFileSync(own, of("Asia/Tokyo"))), "Asia/Tokyo"],
    ["no zone", copy(Buffer.from("TZ")), "unknown", "UTC", /go by UTC/],
    ["the zone that was never set", inDatabase("Factory"), "unknown", "UTC", /windows go by UTC/],
    ["a link to a name that is gone", inDatabase("US/Pacific"), "US/Pacific", "America/Los_Angeles", pacific],
    ["a link to a name that never was", inDatabase("US/Nowhere"), "US/Nowhere", "UTC", /windows go by UTC/],
    [
      "a link, and there is no database",
      (at) => {
        inDatabase("Europe/Berlin")(at);
        rmSync(at.zoneinfo, { recursive: true });
      },
      "Europe/Berlin",
      "apt-get install tzdata",
      /Programs go by UTC; update windows go by Europe\/Berlin/,
    ],
    ["a link to a directory", inDatabase("Europe"), "Europe", "UTC"],
    ["a link that leads to itself", inDatabase("localtime"), "unknown", "UTC"],
    ["a link to nowhere", link("nowhere"), "unknown", "UTC"],
  ];
  for (const [what, place, name, mended, words] of rows)
    it(`is ${name} where /etc/localtime is ${what}`, async (test) => {
      const directory = temporaryDirectory(test);
      const at = { etc: join(directory, "etc"), zoneinfo: join(directory, "zoneinfo") };
      mkdirSync(at.etc);
      makeDatabase(at.zoneinfo);
      place(at);
      const zone = openTimeZone({ etc: at.etc, database: at.zoneinfo });
      const trouble = zone.timeZoneTrouble();
      const typed = mended?.includes(" ") ? mended : mended && `steward system time-zone ${mended}`;
      assert.deepEqual([await zone.timeZone(), trouble?.remedy?.line], [name, typed]);
      assert.match(trouble?.detail ?? "", words ?? /^/);
      assert.ok(trouble?.detail.includes("database: /") !== false, trouble?.detail);
    });

  it("is adopted by a process that does not find it by itself", (test) => {
    const directory = temporaryDirectory(test);
    const etc = join(directory, "etc");
    mkdirSync(etc);
    makeDatabase(join(directory, "zoneinfo"));
    const adopted = (place: Place) => {
      rmSync(join(etc, "localtime"), { force: true });
      place({ etc, zoneinfo: join(directory, "zoneinfo") });
      return openTimeZone({ etc, database: join(directory, "zoneinfo") }).toBeAdopted();
    };
    const linked = ["UTC", "US/Pacific", "US/Nowhere"].map(inDatabase);
    const places = [...linked, copy(otherRelease("Asia/Tokyo"))];
    assert.deepEqual(places.map(adopted), [null, "US/Pacific", null, "Asia/Tokyo"]);
  });
});

describe("a zone to be set", () => {
  const directory = compileHelper();
  after(() => rmSync(directory, { recursive: true, force: true }));

  /** The name, and the agent's answer: the helper takes what the agent takes. */
  const former =
    /former name of America\/Los_Angeles: `steward system time-zone America\/Los_Angeles`.*tzdata-legacy/;
  const unknown =
    "Europe/Kiev europe/berlin posix/Europe/Berlin ../../etc/passwd Factory localtime posixrules";
  const rows: readonly (readonly [string, RegExp | null])[] = [
    ...["Europe/Berlin", "Etc/GMT+8", "UTC"].map((name) => [name, null] as const),
    ["US/Pacific", former],
    ["Asia/Calcutta", /former name of Asia\/Kolkata/],
    ...[...unknown.split(" "), " Europe/Berlin"].map(
      (name) => [name, /not a time zone of this device/] as const,
    ),
    ...["Europe", "Europe/Fake", "Europe/Bonn"].map((name) => [name, /list-timezones/] as const),
  ];

  it("is taken or refused alike by agent and root helper", async () => {
    const helper = await startHelper(directory);
    try {
      makeDatabase(join(directory, "zones"));
      const { timeZoneFault } = openTimeZone({ etc: directory, database: join(directory, "zones") });
      for (const [name, fault] of rows) {
        const taken = await helper.ask(`time-zone ${name}\n`);
        assert.match(taken, fault === null ? /^ok\n$/ : /^(refused|failed ENOENT)\n$/, name);
        if (fault === null) assert.equal(timeZoneFault(name), null, name);
        else assert.match(timeZoneFault(name) ?? "", fault, name);
      }
      rmSync(join(directory, "zones"), { recursive: true });
      assert.match(timeZoneFault("Europe/Berlin") ?? "", /apt install tzdata$/);
    } finally {
      helper.stop();
    }
  });
});
