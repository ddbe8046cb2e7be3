import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { StewardError } from "../../../src/contract/errors.ts";
import { createTimeServices } from "../../../src/host/linux/clock/time-services.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";
import { type Owner, temporaryDirectory, writeCommand } from "../systemd/journal.ts";

/** A tree of cgroups with these files. */
function cgroupsWith(test: Owner, files: Record<string, string>): string {
  const root = temporaryDirectory(test);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function activeDaemon(test: Owner, files: Record<string, string>) {
  const run = () => Promise.reject(new Error("looking for daemons starts no program"));
  return createTimeServices({ run, cgroups: cgroupsWith(test, files) }).activeDaemon();
}

const populated = "populated 1\nfrozen 0\n";
const empty = "populated 0\nfrozen 0\n";

describe("the active time daemon", () => {
  const found: [string, Record<string, string>, string | null][] = [
    ["chrony.service with cgroup v2", { "system.slice/chrony.service/cgroup.events": populated }, "chronyd"],
    ["chronyd.service", { "system.slice/chronyd.service/cgroup.events": populated }, "chronyd"],
    [
      "systemd-timesyncd.service",
      { "system.slice/systemd-timesyncd.service/cgroup.events": populated },
      "systemd-timesyncd",
    ],
    ["ntp.service", { "system.slice/ntp.service/cgroup.events": populated }, "ntpd"],
    ["ntpsec.service", { "system.slice/ntpsec.service/cgroup.events": populated }, "ntpd"],
    ["openntpd.service", { "system.slice/openntpd.service/cgroup.events": populated }, "openntpd"],
    ["ntpd-rs.service", { "system.slice/ntpd-rs.service/cgroup.events": populated }, "ntpd-rs"],
    [
      "chrony.service in the hybrid hierarchy",
      { "unified/system.slice/chrony.service/cgroup.events": populated },
      "chronyd",
    ],
    [
      "chrony.service with cgroup v1",
      { "systemd/system.slice/chrony.service/cgroup.procs": "731\n735\n" },
      "chronyd",
    ],
    [
      "a daemon whose processes are in a cgroup below its own, with v1",
      {
        "systemd/system.slice/ntpd.service/cgroup.procs": "",
        "systemd/system.slice/ntpd.service/worker/cgroup.procs": "88\n",
      },
      "ntpd",
    ],
  ];
  for (const [what, files, expected] of found) {
    it(`is seen: ${what}`, async (test) => {
      assert.equal(await activeDaemon(test, files), expected);
    });
  }

  const unseen: [string, Record<string, string>][] = [
    ["no cgroups at all", {}],
    ["a unit whose processes have ended", { "system.slice/chrony.service/cgroup.events": empty }],
    ["the same with v1", { "systemd/system.slice/chrony.service/cgroup.procs": "" }],
    ["other units", { "system.slice/cron.service/cgroup.events": populated }],
    ["a unit with a name that only begins so", { "system.slice/chrony.service2/cgroup.events": populated }],
  ];
  for (const [what, files] of unseen) {
    it(`is none with ${what}`, async (test) => {
      assert.equal(await activeDaemon(test, files), null);
    });
  }

  it("is the one that runs, not one that has ended", async (test) => {
    const files = {
      "system.slice/chrony.service/cgroup.events": empty,
      "system.slice/systemd-timesyncd.service/cgroup.events": populated,
    };
    assert.equal(await activeDaemon(test, files), "systemd-timesyncd");
  });
});

/** Services whose systemctl is this script. */
function servicesWith(test: Owner, script: string) {
  const systemctl = writeCommand(test, "systemctl", script);
  return { services: createTimeServices({ run: createRunCommand({ path: dirname(systemctl) }) }), systemctl };
}

describe("an order to systemd", () => {
  it("is given without asking for a password", async (test) => {
    const { services, systemctl } = servicesWith(test, 'echo "$@" >>"$0.calls"');
    await services.start("steward-chrony@burst.service");
    await services.restart("systemd-timesyncd.service");
    assert.deepEqual(readFileSync(`${systemctl}.calls`, "utf8").trim().split("\n"), [
      "--no-ask-password start -- steward-chrony@burst.service",
      "--no-ask-password restart -- systemd-timesyncd.service",
    ]);
  });

  // What systemctl 252 writes; each is polkit's, systemd's or sd-bus's own text in the C locale.
  const refusals: [string, string, string][] = [
    [
      "polkit has no rule for it",
      "Failed to start a.service: Interactive authentication required.",
      "forbidden",
    ],
    ["polkit denies it", "Failed to start a.service: Access denied", "forbidden"],
    ["there is no such unit", "Failed to start a.service: Unit a.service not found.", "not_found"],
    [
      "the unit failed",
      "Job for a.service failed because the control process exited with error code.",
      "internal_error",
    ],
    [
      "there is no systemd",
      "System has not been booted with systemd as init system (PID 1). Can't operate.",
      "internal_error",
    ],
  ];
  for (const [what, complaint, code] of refusals) {
    it(`throws ${code} where ${what}`, async (test) => {
      const { services } = servicesWith(test, `echo "${complaint}" >&2; echo "See system logs" >&2; exit 1`);
      await assert.rejects(services.start("a.service"), (error) => {
        assert.ok(error instanceof StewardError, String(error));
        assert.equal(error.code, code);
        assert.match(error.message, /status 1: /);
        return true;
      });
    });
  }

  it("throws where there is no systemctl", async (test) => {
    const services = createTimeServices({ run: createRunCommand({ path: temporaryDirectory(test) }) });
    const isInternal = (error: unknown) => error instanceof StewardError && error.code === "internal_error";
    await assert.rejects(services.start("a.service"), isInternal);
  });

  const names = [
    "",
    "chrony",
    "--all.service",
    "-H.service",
    "a b.service",
    "../x.service",
    "*.service",
    "a.service\n",
    "a@.service",
    "steward-chrony@a/b.service",
    "poweroff.target",
    `a@${"b".repeat(33)}.service`,
  ];
  for (const name of names) {
    it(`never reaches it for ${JSON.stringify(name)}`, async () => {
      let runs = 0;
      const services = createTimeServices({
        run: async () => {
          runs += 1;
          return { status: 0, stdout: "", stderr: "" };
        },
      });
      await assert.rejects(services.start(name), RangeError);
      await assert.rejects(services.restart(name), RangeError);
      assert.equal(runs, 0);
    });
  }
});
