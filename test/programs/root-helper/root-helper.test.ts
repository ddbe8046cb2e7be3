import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import fc from "fast-check";
import { until } from "../../../lab/basics/until.ts";
import { compileHelper, type HelperProcess, startHelper } from "../../../lab/host/helper-process.ts";

const id = "0123456789abcdef".repeat(2);
const directory = compileHelper();
after(() => rmSync(directory, { recursive: true, force: true }));

let helper: HelperProcess;
beforeEach(async () => {
  helper = await startHelper(directory);
});
afterEach(() => helper.stop());

/** An order whose program runs until `wait` is removed. */
async function underWay(line: string) {
  writeFileSync(at("wait"), "");
  const answer = helper.ask(line);
  await until("it is under way", () => helper.calls().length === 1);
  return { answer };
}

/** Its log comes by another way than its answers. */
const logged = (line: RegExp): Promise<void> => until(`the log has ${line}`, () => line.test(helper.log()));

const at = (path: string): string => join(directory, path);

describe("an order to the root helper", () => {
  const programs = Object.entries({
    [`install ${id}`]: `start -- steward-install@${id}.service`,
    "rollback rules": "start -- steward-install@rollbackrules.service",
    "rollback binary": "start -- steward-install@rollbackbinary.service",
    "chrony reselect": "start -- steward-chrony@reselect.service",
    "chrony burst": "start -- steward-chrony@burst.service",
    "chrony makestep": "start -- steward-chrony@makestep.service",
    "chrony authdata": "start -- steward-chrony@authdata.service",
    "restart-timesyncd": "try-restart -- systemd-timesyncd.service",
    "enable-https": "start -- steward-https.service",
    reboot: "--no-block reboot",
    "power-off": "--no-block poweroff",
  });

  it("is one call of systemctl each, with an environment of its own, and a line in the log", async () => {
    for (const [line] of programs) assert.equal(await helper.ask(`${line}\n`), "ok\n", line);
    assert.deepEqual(
      helper.calls(),
      programs.map(([, call]) => `--no-ask-password ${call}`),
    );
    const environment = readFileSync(at("environment"), "utf8").trim().split("\n");
    const own = environment.filter((line) => !/^(PWD|SHLVL|_|OLDPWD)=/.test(line));
    assert.deepEqual(own, ["LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]);
    const user = process.getuid?.();
    for (const [line] of programs)
      await logged(new RegExp(`^<5>user ${user}, process ${process.pid}: ${line}$`, "m"));
  });

  it("may come in pieces", async () => {
    const connection = connect(helper.socket, () => connection.write("chrony bu"));
    const answer = new Promise((resolve) => connection.once("data", (data) => resolve(data.toString())));
    setTimeout(() => connection.write("rst\n"), 50);
    assert.equal(await answer, "ok\n");
  });

  it("is answered with the exit code where it fails", async () => {
    writeFileSync(at("status"), "5\n");
    assert.equal(await helper.ask(`install ${id}\n`), "failed 5\n");
    await logged(/^<3>install failed with 5$/m);
  });

  it("does not wait for another one that still runs", async () => {
    const installing = await underWay(`install ${id}\n`);
    writeTestZone();
    assert.equal(await helper.ask("time-zone Europe/Berlin\n"), "ok\n");
    rmSync(at("wait"));
    assert.equal(await installing.answer, "ok\n");
  });
});

/** A file that begins as those of the database do. */
const writeTestZone = (): void => writeFileSync(at("zones/Europe/Berlin"), "TZif2");

describe("the time zone and the host name", () => {
  it("are put in place as links and files that every user may read", async () => {
    writeTestZone();
    // No /etc/timezone is made where the system has none.
    assert.equal(await helper.ask("time-zone Europe/Berlin\n"), "ok\n");
    assert.deepEqual(readdirSync(at("etc")), ["localtime"]);
    rmSync(at("etc/localtime"));
    writeFileSync(at("etc/timezone"), "Etc/UTC\n");
    writeFileSync(at("etc/localtime"), "a file, as some systems have it");
    writeFileSync(at("etc/.hostname.steward"), "what a power cut has left");
    for (const line of ["time-zone Europe/Berlin\n", "host-name pump-7\n"])
      assert.equal(await helper.ask(line), "ok\n");
    assert.equal(readlinkSync(at("etc/localtime")), "../usr/share/zoneinfo/Europe/Berlin");
    const texts = ["etc/timezone", "etc/hostname", "hostname"].map((path) => readFileSync(at(path), "utf8"));
    assert.deepEqual(texts, ["Europe/Berlin\n", "pump-7\n", "pump-7"]);
    assert.equal((lstatSync(at("etc/hostname")).mode & 0o777).toString(8), "644");
    assert.deepEqual(readdirSync(at("etc")).sort(), ["hostname", "localtime", "timezone"]);
    assert.deepEqual(helper.calls(), []);
  });

  it("say which error of the system it was, and change nothing", async () => {
    writeFileSync(at("zones/Europe/Fake"), "no zone");
    mkdirSync(at("zones/Europe/Town"));
    for (const zone of ["Europe/Nowhere", "Europe/Fake", "Europe/Town"])
      assert.equal(await helper.ask(`time-zone ${zone}\n`), "failed ENOENT\n", zone);
    writeFileSync(at("etc/hostname"), "pump\n");
    renameSync(at("hostname"), at("hostname.away"));
    mkdirSync(at("hostname"));
    assert.equal(await helper.ask("host-name pump-7\n"), "failed EISDIR\n");
    assert.equal(readFileSync(at("etc/hostname"), "utf8"), "pump\n");
    rmSync(at("hostname"), { recursive: true });
    renameSync(at("hostname.away"), at("hostname"));
    rmSync(at("etc"), { recursive: true });
    assert.equal(await helper.ask("host-name pump-7\n"), "failed ENOENT\n");
    assert.equal(readFileSync(at("hostname"), "utf8"), "");
  });
});

describe("the unit of a process", () => {
  /** /proc as it is for one process, of user 990. */
  const isIn = (groups: string, status = "Name:\tpump\nUid:\t990\t990\t990\t990\n"): void => {
    mkdirSync(at("proc/7"), { recursive: true });
    writeFileSync(at("proc/7/cgroup"), groups);
    writeFileSync(at("proc/7/status"), status);
  };
  const long = `${"u".repeat(247)}.service`;

  it("is its first group that is no slice, in either version of control groups", async () => {
    for (const [groups, answer] of [
      ["0::/system.slice/pump.service\n", "unit pump.service"],
      ["0::/pumps.slice/pumps-a.slice/pump@7.service/worker\n", "unit pump@7.service"],
      ["0::/system.slice/a\\x2db.service\n", "unit a\\x2db.service"],
      ["0::/system.slice/_cpu.service\n", "unit cpu.service"],
      [`0::/system.slice/${long}\n`, `unit ${long}`],
      ["9:name=systemd:/system.slice/pump.service\n4:memory:/other\n0::/\n", "unit pump.service"],
      ["0::/init.scope\n", "unit init.scope"],
      ["0::/\n", "failed ENOENT"],
      ["0::/user.slice\n", "failed ENOENT"],
      ["", "failed ENOENT"],
    ] as const) {
      isIn(groups);
      assert.equal(await helper.ask("unit-of 7 990\n"), `${answer}\n`, groups);
    }
    assert.equal(await helper.ask("unit-of 8 990\n"), "failed ENOENT\n");
    assert.deepEqual([helper.log(), helper.calls()], ["", []]);
  });

  it("is not one whose name a user gives to a group of their own", async () => {
    const own = "user.slice/user-1000.slice/user@1000.service";
    for (const [groups, answer] of [
      [`0::/${own}/app.slice/pump.service\n`, "unit user@1000.service"],
      [`0::/${own}/5:name=systemd:/pump.service\n`, "unit user@1000.service"],
      [`4:memory:/${own}/x:name=systemd:/pump.service\n0::/${own}\n`, "unit user@1000.service"],
      [`0::/system.slice/u${long}\n`, "failed EINVAL"],
      ["0::/system.slice/pump.service (deleted)\n", "unit pump.service (deleted)"],
      ["0::/../pump.service\n", "unit .."],
      [`4:memory:/${"a".repeat(40_000)}\n0::/system.slice/pump.service\n`, "failed ENOENT"],
    ] as const) {
      isIn(groups);
      assert.equal(await helper.ask("unit-of 7 990\n"), `${answer}\n`, groups.slice(0, 80));
    }
  });

  it("is not said of a process of another user, which got the number of one that has ended", async () => {
    isIn("0::/system.slice/pump.service\n", "Name:\tUid: 991\nUid:\t991\t990\t991\t991\n");
    assert.equal(await helper.ask("unit-of 7 991\n"), "failed ESRCH\n");
    assert.equal(await helper.ask("unit-of 7 990\n"), "unit pump.service\n");
    isIn("0::/system.slice/pump.service\n", "");
    assert.equal(await helper.ask("unit-of 7 990\n"), "failed ESRCH\n");
  });
});

describe("a line outside of the vocabulary", () => {
  const lines = [
    ...["", " ", "reboot ", " reboot", "reboot\r", "reboot\0", "install", "install ", `install ${id}0`],
    ...[`install ${id.slice(1)}`, `install ${id.toUpperCase()}`, `install  ${id}`, `install ${id} `],
    ...[`install ${id}\0`, `install\t${id}`, `time-zone E${"u".repeat(63)}`, `host-name ${"a".repeat(64)}`],
    ...["host-name a\0b", "host-name ä", "chrony makestep\\x20", "x".repeat(127)],
    ...[
      "reboot now|REBOOT|rebootx|reboo|poweroff|power-off now|halt|factory-reset|factory-reset --image",
      "systemctl reboot|--help|sh -c id|start ssh.service|restart systemd-timesyncd|restart-timesyncd x",
      "restart-timesyncd.service|rollback|rollback Rules|rollback rules binary|rollback ../rules",
      "rollback rules.service|install rollbackrules|chrony|chrony shutdown|chrony settime|chrony burst 4/4",
      "chrony -h|chrony authdat|time-zone|time-zone /etc/passwd|time-zone ../../etc/passwd",
      "time-zone Europe/../Berlin|time-zone localtime|time-zone Factory|time-zone right/Europe/Berlin",
      "time-zone Europe/Berlin/|time-zone Europe//Berlin|time-zone A/B/C/D|time-zone Europe/Berlin.x",
      "time-zone Europe/$(id)|host-name|host-name -a|host-name a-|host-name a.b|host-name a_b|host-name a b",
      "host-name %s|host-name a/b|unit-of|unit-of 1|unit-of 1 |unit-of 1  2|unit-of 1 2 3|unit-of -1 2",
      "unit-of self 0|unit-of ../1 0|unit-of 1/ 0|unit-of 12345678901 0|unit-of 1 12345678901|unit-of 1 x",
    ].flatMap((some) => some.split("|")),
  ];

  it("is refused, does nothing, and its text stays out of the log", async () => {
    for (const line of lines) assert.equal(await helper.ask(`${line}\n`), "refused\n", JSON.stringify(line));
    assert.deepEqual([helper.calls(), readdirSync(at("etc"))], [[], []]);
    assert.doesNotMatch(helper.log(), /reboo|passwd|\0/);
  });

  it("is refused as well behind an order, without its line feed, and where it is too long", async () => {
    for (const bytes of ["reboot\nreboot\n", "reboot\n\n", "y".repeat(128), `reboot\n${"z".repeat(500)}`])
      assert.equal(await helper.ask(bytes), "refused\n", JSON.stringify(bytes));
    // After a while, and then the next one is served.
    assert.equal(await helper.ask("reboot"), "refused\n");
    assert.deepEqual(helper.calls(), []);
  });

  it("is refused whatever its bytes are", async () => {
    const all = "install rollback chrony reboot time-zone host-name unit-of rules".split(" ");
    const words = fc.constantFrom(...all, id);
    const noise = fc.uint8Array({ maxLength: 140 }).map((bytes) => Buffer.from(bytes));
    const mixed = fc
      .tuple(words, fc.constantFrom(" ", "  ", "\t", "/", ".", ""), noise)
      .map(([word, gap, bytes]) => Buffer.concat([Buffer.from(word + gap), bytes]));
    const orders =
      /^(install [0-9a-f]{32}|rollback (rules|binary)|chrony \w+|re\S+|host-name [A-Za-z0-9-]+|time-zone [A-Z]\S*|unit-of \d+ \d+)\n$/;
    await fc.assert(
      fc.asyncProperty(fc.oneof(noise, mixed), async (bytes) => {
        const sent = Buffer.concat([bytes, Buffer.from("\n")]);
        fc.pre(!orders.test(sent.toString("latin1")));
        assert.equal(await helper.ask(sent), "refused\n");
      }),
      { numRuns: 400 },
    );
    assert.deepEqual([helper.calls(), readdirSync(at("etc"))], [[], []]);
    assert.equal(helper.ended(), null);
  });
});

describe("the end of the helper", () => {
  it("waits for an order that ends in the next moment, and for its answer", async () => {
    const { answer } = await underWay("power-off\n");
    helper.stop();
    setTimeout(() => rmSync(at("wait")), 200);
    assert.equal(await answer, "ok\n");
    await until("it has ended", () => helper.ended() !== null);
    assert.equal(helper.ended(), 0);
  });

  it("does not wait for one that takes long", async () => {
    const { answer } = await underWay(`install ${id}\n`);
    helper.stop();
    assert.equal(await answer, "");
    rmSync(at("wait"));
  });
});

describe("a flood of orders", () => {
  it("is answered with the seconds to wait, and costs a bounded number of programs and of lines", async () => {
    const answers: string[] = [];
    for (let turn = 0; turn < 60; turn += 1) answers.push(await helper.ask(`install ${id}\n`));
    for (let turn = 0; turn < 60; turn += 1) answers.push(await helper.ask("no such order\n"));
    assert.equal(answers.filter((answer) => answer === "ok\n").length, 12);
    const limited = answers.filter((answer) => /^limited ([1-9]\d?|1[01]\d|120)\n$/.test(answer));
    assert.deepEqual([helper.calls().length, limited.length], [12, 48]);
    assert.ok(helper.log().split("\n").length < 12 + 20 + 5, helper.log());
    // Each word has a bucket of its own.
    assert.equal(await helper.ask("reboot\n"), "ok\n");
  });

  it("waits three times as long as its programs have kept the disk at work", async (t) => {
    const place = compileHelper({ installation: 200 });
    const own = await startHelper(place);
    t.after(() => {
      own.stop();
      rmSync(place, { recursive: true });
    });
    const begun = performance.now();
    writeFileSync(join(place, "wait"), "");
    const both = [own.ask(`install ${id}\n`), own.ask(`install ${id}\n`)];
    await until("both run", () => own.calls().length === 2);
    setTimeout(() => rmSync(join(place, "wait")), 2_000);
    assert.deepEqual(await Promise.all(both), ["ok\n", "ok\n"]);
    const [word, wait] = (await own.ask(`install ${id}\n`)).split(" ");
    // Three times their duration is owed, once for both. Twelve orders, 2.4 s, are free; the answer is in whole seconds.
    const most = Math.ceil((3 * (performance.now() - begun)) / 1_000 - 2.4);
    assert.ok(word === "limited" && Number(wait) <= most, `${word} ${wait} after ${most} s`);
    assert.equal(await own.ask("rollback rules\n"), "ok\n");
  });

  it("does not end the helper, which would forget it; an idle one that has nothing to remember leaves", async () => {
    const place = compileHelper({ idle: 1_500 });
    const [idle, asked] = [await startHelper(place), await startHelper(place)];
    assert.equal(await asked.ask("reboot\n"), "ok\n");
    await until("the idle one has left", () => idle.ended() !== null);
    assert.deepEqual([idle.ended(), idle.log()], [0, ""]);
    assert.equal(asked.ended(), null);
    asked.stop();
    rmSync(place, { recursive: true });
  });

  it("has at most eight programs at once", async () => {
    writeFileSync(at("wait"), "");
    const asked = Array.from({ length: 8 }, () => helper.ask(`install ${id}\n`));
    await until("eight run", () => helper.calls().length === 8);
    assert.equal(await helper.ask("chrony burst\n"), "limited 1\n");
    rmSync(at("wait"));
    const answers = await Promise.all(asked);
    assert.deepEqual([...new Set(answers)], ["ok\n"]);
    assert.equal(await helper.ask("chrony burst\n"), "ok\n");
  });

  it("is not helped by connections that say nothing", async () => {
    const silent = Array.from({ length: 3 }, () => connect(helper.socket));
    for (const connection of silent) connection.on("error", () => undefined);
    for (const connection of silent) connection.destroy();
    assert.equal(await helper.ask("reboot\n"), "ok\n");
  });
});

describe("who may order", () => {
  const isRoot = process.getuid?.() === 0;

  it("is the socket's owner and root: another is refused", { skip: !isRoot && "takes root" }, async () => {
    chmodSync(directory, 0o755);
    chmodSync(helper.socket, 0o777);
    const asking = `const s = require("node:net").connect(${JSON.stringify(helper.socket)}, () => s.write("reboot\\n")); s.pipe(process.stdout)`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--eval", asking], {
      ...{ uid: 65_534, gid: 65_534, encoding: "utf8", timeout: 60_000 },
    });
    assert.deepEqual([stdout, stderr], ["refused\n", ""]);
    await logged(/^<4>refused to user 65534, process \d+: not a user who may order$/m);
    assert.deepEqual(helper.calls(), []);
  });

  it("is decided by systemd's socket alone: without one it does not start", () => {
    const { status, stderr } = spawnSync(at("steward-helper"), { encoding: "utf8", env: {} });
    assert.equal(status, 2);
    assert.match(stderr, /start steward-helper\.socket/);
    assert.equal(existsSync(at("calls")), false);
  });
});
