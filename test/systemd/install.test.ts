import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { before, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { install } from "../../scripts/install/files.ts";

const checkout = join(import.meta.dirname, "../..");
const directory = scratchDirectory();

function run(command: string, args: readonly string[]): { status: number | null; output: string } {
  // Without what a make that runs the tests tells the ones below it.
  const { MAKEFLAGS: _, MAKELEVEL: __, MFLAGS: ___, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: checkout, encoding: "utf8", env });
  return { status, output: stdout + stderr };
}

/** Under a umask that closes everything to others, on which nothing may depend; with the program that is built. */
const make = (...args: readonly string[]) =>
  run("sh", ["-c", 'umask 077 && exec make -o dist/.stamp -o node_modules/.stamp "$@"', "sh", ...args]);

/** Every path below a tree, without it. */
const below = (tree: string): string[] =>
  readdirSync(tree, { recursive: true, encoding: "utf8" })
    .map((path) => relative(tree, join(tree, path)))
    .sort();

/** Earlier versions let the agent start units by these files. */
const formerRules = ["usr/share/polkit-1/rules.d/50-steward.rules", "etc/polkit-1/rules.d/50-steward.rules"];

describe("make install DESTDIR=", () => {
  const tree = join(directory, "tree");
  const home = join(tree, "usr/lib/steward");

  before(() => {
    mkdirSync(join(home, "bin"), { recursive: true });
    writeFileSync(join(home, "chunk-OLD.js"), "of an earlier version");
    writeFileSync(join(home, "bin/node"), "a runtime that was brought along");
    for (const rule of formerRules) {
      mkdirSync(dirname(join(tree, rule)), { recursive: true });
      writeFileSync(join(tree, rule), "polkit.addRule()");
    }
    assert.deepEqual(make("install", `DESTDIR=${tree}`), { status: 0, output: "" });
  });

  it("puts each file where systemd and people look for it", () => {
    const wanted = `usr/bin/steward
      usr/lib/systemd/system-preset/steward.preset
      usr/lib/systemd/system/steward-{backup,guard-boot,guard,helper,logs,upload,chrony@,install@}.service
      usr/lib/systemd/system/steward{.service,-backup.timer,-helper.socket,-logs.socket}
      usr/lib/systemd/system/steward.service.d/10-timekeeper.conf
      usr/lib/systemd/system/systemd-journald@steward.{service,socket}.d/steward.conf
      usr/lib/{systemd/journald@steward.conf,sysusers,tmpfiles}.d/steward.conf
      usr/share/bash-completion/completions/steward
      usr/share/fish/vendor_completions.d/steward.fish
      usr/share/steward/{{nginx-page,nginx-page-headers,caddy-page}.conf,traefik-page.yaml}
      usr/share/man/man{5/steward.json.5,8/steward.8}
      usr/share/zsh/vendor-completions/_steward`;
    const { output } = run("bash", [
      "-c",
      `cd ${tree}; ls -d ${wanted.replaceAll("\n", " ")} 2>&1 >/dev/null`,
    ]);
    assert.equal(output, "");
    assert.equal(readlinkSync(join(tree, "usr/bin/steward")), "../lib/steward/steward");
    for (const rule of formerRules) assert.equal(existsSync(join(tree, rule)), false, rule);
  });

  it("makes everything readable for all and writable for its owner alone, whatever the umask", () => {
    const programs = /^usr\/lib\/steward\/(main\.js|installer\.js|steward|steward-helper|steward-logs)$/;
    for (const path of below(tree)) {
      const stat = lstatSync(join(tree, path));
      if (stat.isSymbolicLink() || path.startsWith("usr/lib/steward/bin")) continue;
      const isOpen = stat.isDirectory() || programs.test(path);
      assert.equal((stat.mode & 0o7777).toString(8), isOpen ? "755" : "644", path);
      assert.equal(stat.uid, process.getuid?.(), path);
    }
  });

  it("installs a program that starts, with its native parts, and leaves of the version before only its runtime", async () => {
    assert.equal(existsSync(join(home, "chunk-OLD.js")), false);
    assert.equal(readFileSync(join(home, "bin/node"), "utf8"), "a runtime that was brought along");
    rmSync(join(home, "bin/node"));
    symlinkSync(process.execPath, join(home, "bin/node"));
    const { status, output } = run("sh", [join(home, "steward"), "--version"]);
    assert.equal(status, 0, output);
    const hash = `require(${JSON.stringify(join(home, "node_modules/@node-rs/argon2"))}).hashSync("x")`;
    assert.match(run("node", ["--print", hash]).output, /^\$argon2id\$/);
    const left = readdirSync(join(tree, "usr/lib")).sort();
    assert.deepEqual(left, ["steward", "systemd", "sysusers.d", "tmpfiles.d"]);
  });

  it("leaves the right to set the clock out, and takes an earlier one away, with TIMEKEEPER=no", () => {
    const dropIn = join(tree, "usr/lib/systemd/system/steward.service.d/10-timekeeper.conf");
    assert.match(readFileSync(dropIn, "utf8"), /^AmbientCapabilities=CAP_SYS_TIME$/m);
    assert.deepEqual(make("install", `DESTDIR=${tree}`, "TIMEKEEPER=no"), { status: 0, output: "" });
    assert.equal(existsSync(dropIn), false);
    const { status, output } = make("install", `DESTDIR=${tree}`, "TIMEKEEPER=maybe");
    assert.equal(status, 2, output);
    assert.match(output, /TIMEKEEPER is yes or no, not maybe/);
  });

  it("is refused where a Debian package has put the program, and says what to do", () => {
    const packaged = join(directory, "packaged");
    mkdirSync(join(packaged, "var/lib/dpkg/info"), { recursive: true });
    writeFileSync(join(packaged, "var/lib/dpkg/info/steward.list"), "/usr/lib/steward/main.js\n");
    const { status, output } = make("install", `DESTDIR=${packaged}`);
    assert.notEqual(status, 0);
    assert.match(output, /installed here by its Debian package\. .* apt remove steward/);
    assert.equal(existsSync(join(packaged, "usr")), false);
  });

  it("is refused where an image has a person or a group called steward, with the line to type", () => {
    const image = join(directory, "image");
    mkdirSync(join(image, "etc"), { recursive: true });
    const entries = (user: string, group: string) => {
      writeFileSync(join(image, "etc/passwd"), user);
      writeFileSync(join(image, "etc/group"), group);
    };
    const rename = `unshare --pid --fork --mount-proc usermod --prefix ${image} --login steward-old steward`;
    const renameGroup = `groupmod --prefix ${image} --new-name steward-old steward`;
    const own = "steward:x:996:996::/var/lib/steward:/usr/sbin/nologin\n";
    const withoutMember = (name: string) => `gpasswd --root ${image} --delete ${name} steward`;
    for (const [user, group, line] of [
      ["steward:x:1001:1001::/home/steward:/bin/bash\n", "steward:x:1001:\n", `${rename}; ${renameGroup}`],
      // A program of that name, whose group goes with it.
      ["steward:x:450:450::/opt/wine:/usr/sbin/nologin\n", "steward:x:450:\n", `${rename}; ${renameGroup}`],
      ["steward:x:996:996::/var/lib/steward:/bin/sh\n", "", rename],
      ["", "steward:x:1005:\n", renameGroup],
      ["", "steward:x:996:anna\n", renameGroup],
      [own, "steward:x:996:anna,bob\n", `${withoutMember("anna")}; ${withoutMember("bob")}`],
      [
        `${own}anna:x:1002:996::/home/anna:/bin/sh\n`,
        "steward:x:996:\n",
        `usermod --prefix ${image} --gid users anna`,
      ],
      [
        "steward-logs:x:1003:1003::/home/logs:/bin/sh\n",
        "",
        `${rename.replace("-old steward", "-logs-old steward")}-logs`,
      ],
    ] as const) {
      entries(user, group);
      const { status, output } = make("install", `DESTDIR=${image}`);
      assert.equal(status, 2, `${user}${group}${output}`);
      assert.match(
        output,
        /make install: The (user|group) steward.* make administrators\. Nothing was installed\./,
      );
      assert.equal(/^ {4}(.*)$/m.exec(output)?.[1], line, output);
      assert.equal(existsSync(join(image, "usr")), false);
    }
    // As systemd-sysusers makes it in an image, and while the reader of logs runs.
    entries(`${own}steward-logs:!:61200:61200::/:/usr/sbin/nologin\n`, "steward:x:996:steward\n");
    assert.deepEqual(make("install", `DESTDIR=${image}`), { status: 0, output: "" });
    mkdirSync(join(image, "var/lib/steward"), { recursive: true });
    const stays = `These stay:\n    ${image}/var/lib/steward\n    the user and the group steward\n`;
    assert.deepEqual(make("uninstall", `DESTDIR=${image}`), { status: 0, output: stays });
  });

  it("is undone by make uninstall, which leaves the files of others", () => {
    writeFileSync(join(tree, "usr/lib/systemd/system/other.service"), "");
    assert.deepEqual(make("uninstall", `DESTDIR=${tree}`), { status: 0, output: "" });
    const left = below(tree).filter((path) => !lstatSync(join(tree, path)).isDirectory());
    assert.deepEqual(left, ["usr/lib/systemd/system/other.service"]);
  });
});

describe("make install PREFIX=/usr/local", () => {
  const tree = join(directory, "local");
  const home = join(tree, "usr/local/lib/steward");
  const runtime = join(directory, "runtime");

  before(async () => {
    writeFileSync(runtime, "#!/bin/sh\necho a runtime\n", { mode: 0o600 });
    await install({ destination: tree, prefix: "/usr/local" }, { runtime });
  });

  it("names the program where it is, in every file, and brings the runtime along that it was given", () => {
    const files = below(tree).filter((path) => /\.(service|socket|conf)$|\/steward\/steward$/.test(path));
    const text = files.map((path) => readFileSync(join(tree, path), "utf8")).join("\n");
    assert.doesNotMatch(text, /\/usr\/lib\/steward/);
    assert.match(text, /\/bin\/sh \/usr\/local\/lib\/steward\/steward serve/);
    assert.match(text, /^packaged=\/usr\/local\/lib\/steward$/m);
    assert.equal(run(join(home, "bin/node"), []).output, "a runtime\n");
  });

  it("has code caches by that runtime, and none where it is for another kind of machine", async () => {
    const codeCaches = () => below(tree).filter((path) => path.endsWith(".cache"));
    assert.deepEqual(codeCaches(), []);
    const noted = join(directory, "noted");
    writeFileSync(runtime, `#!/bin/sh\necho "$2" "$3" >>${noted}\nexec ${process.execPath} "$@"\n`);
    await install({ destination: tree, prefix: "/usr/local" }, { runtime });
    const parts = ["agent", "agent", "command-line", "installer"];
    assert.equal(readFileSync(noted, "utf8"), parts.map((part) => `${home}.new ${part}\n`).join(""));
    assert.ok(codeCaches().length > 3, codeCaches().join(" "));
  });
});

describe("make install-publisher DESTDIR=", () => {
  const tree = join(directory, "publisher");
  const files = [
    "usr/bin/steward-publisher",
    "usr/share/bash-completion/completions/steward-publisher",
    "usr/share/fish/vendor_completions.d/steward-publisher.fish",
    "usr/share/man/man1/steward-publisher.1",
    "usr/share/steward-publisher/main.cjs",
    "usr/share/zsh/vendor-completions/_steward-publisher",
  ];
  const filesBelow = () => below(tree).filter((path) => !lstatSync(join(tree, path)).isDirectory());

  it("puts the program, its completion and its manual page where people look for them, and takes them away", () => {
    assert.deepEqual(make("install-publisher", `DESTDIR=${tree}`), { status: 0, output: "" });
    assert.deepEqual(filesBelow(), files);
    for (const path of files) {
      const mode = path.startsWith("usr/bin/") ? 0o755 : 0o644;
      assert.equal(lstatSync(join(tree, path)).mode & 0o7777, mode, path);
    }
    const launcher = readFileSync(join(tree, "usr/bin/steward-publisher"), "utf8");
    const order = 'for node in /usr/lib/steward/bin/node /usr/bin/node "$(command -v node)"; do\n';
    assert.ok(launcher.includes(order), launcher);
    const program = join(tree, "usr/share/steward-publisher/main.cjs");
    assert.match(run("node", [program, "--version"]).output, /^steward-publisher \d/);
    assert.deepEqual(make("uninstall-publisher", `DESTDIR=${tree}`), { status: 0, output: "" });
    assert.deepEqual(filesBelow(), []);
  });
});
