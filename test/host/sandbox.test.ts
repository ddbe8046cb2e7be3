import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { missingProtections } from "../../src/host/linux/sandbox.ts";

// As a Debian 12 shows them to the agent in its unit, of which the mounts are those that are looked at.
const whole = {
  cgroup: "0::/system.slice/steward.service\n",
  status: "Name:\tnode\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t31\n",
  mountinfo: `894 715 0:88 / / ro,nosuid,noexec,relatime shared:254 - ext4 /dev/vda rw
895 894 0:91 / /tmp rw,nosuid,nodev shared:255 - tmpfs tmpfs rw
903 896 0:100 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:266 - cgroup2 cgroup rw
915 894 0:112 / /proc rw,nosuid,nodev,noexec,relatime shared:298 - proc proc rw,hidepid=invisible
916 915 0:112 /sys /proc/sys ro,nosuid,nodev,noexec,relatime shared:298 - proc proc rw
927 895 0:91 /systemd-private-5081-steward.service-PCV8vh/tmp /tmp rw,nosuid,nodev,noexec - tmpfs tmpfs rw
`,
};

const all = [
  ...["NoNewPrivileges", "CapabilityBoundingSet", "SystemCallFilter", "ProtectSystem", "ProtectHome"],
  ...["PrivateTmp", "ProtectProc", "ProtectKernelTunables", "ProtectControlGroups"],
];

describe("the protections of the agent's unit", () => {
  const statusWith = (from: string | RegExp, to: string) => ({ status: whole.status.replace(from, to) });
  const oneMount = "21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n22 21 0:5 / /proc rw - proc proc rw\n";
  const session = { cgroup: "0::/user.slice/session-1.scope\n", status: "" };
  const cases: [
    what: string,
    shown: Partial<typeof whole>,
    modeOfHome: number,
    missing: readonly string[],
  ][] = [
    ["all hold", {}, 0, []],
    ["with the right to set the clock", statusWith(/CapBnd:\t0{16}/, "CapBnd:\t0000000002000000"), 0, []],
    ["with every capability", statusWith(/0{16}/, "000001ffffffffff"), 0, ["CapabilityBoundingSet"]],
    ["without filters", statusWith("Seccomp:\t2", "Seccomp:\t0"), 0, ["SystemCallFilter"]],
    ["with a home that is there", {}, 0o755, ["ProtectHome"]],
    ["without namespaces of mounts", { mountinfo: oneMount }, 0o755, all.slice(3)],
    ["of an old kernel, which says nothing of them", { status: "Name:\tnode\n" }, 0, all.slice(0, 3)],
    ["under make run, outside of the unit", session, 0o755, []],
    ["in a container without systemd", { cgroup: "0::/\n", status: "" }, 0o755, []],
  ];
  for (const [what, shown, modeOfHome, missing] of cases)
    it(`are named: ${what}`, (test) => {
      const root = temporaryDirectory(test);
      mkdirSync(join(root, "proc/self"), { recursive: true });
      mkdirSync(join(root, "home"));
      for (const [name, text] of Object.entries({ ...whole, ...shown }))
        writeFileSync(join(root, "proc/self", name), text);
      chmodSync(join(root, "home"), modeOfHome);
      assert.deepEqual(missingProtections(root), missing);
    });
});
