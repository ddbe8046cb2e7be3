import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endsAlone, notedCalls, offline } from "../fixture.ts";

const host = { host_name: "pump-7", time_zone: "UTC", support_until: null, support: "unknown" };
const answers = {
  ...{ getHost: host, changeHost: { ...host, host_name: "pump-8" }, reboot: { boot_id: "1" } },
  ...{ getStatus: { device_name: "hall 2" }, factoryReset: { device_name: "hall 2" } },
};
const reset = /hall 2 is reset\. Next: `steward user add NAME --role admin`,/;
const forImage = /audit lines .* and the machine-id are deleted too/;

/** The end of a command, and what it has done on the machine. */
const rows: readonly (readonly [string, Parameters<typeof endsAlone>[1], ...calls: object[]])[] = [
  ["system host-name", { stdout: "pump-7\n" }, { id: "getHost" }],
  [
    "system host-name pump-8",
    ...([{ stdout: "pump-8\n" }, { id: "changeHost", body: { host_name: "pump-8" } }] as const),
  ],
  ["reboot", { code: 2, stderr: /--yes/ }],
  ["reboot --yes --force", {}, { id: "reboot", body: { force: true } }],
  [
    "factory-reset --yes",
    { stderr: reset },
    ...[{ id: "getStatus" }, { id: "factoryReset", body: { confirm: "hall 2" } }],
  ],
  // An image is prepared on the device itself only.
  ["factory-reset --image --yes --url https://device.example", { code: 2 }],
  ["factory-reset --image --dry-run", { stdout: forImage }],
  ["factory-reset --image --yes", {}, { image: true }],
];

describe("the commands for the machine", { concurrency: true }, () => {
  for (const [line, end, ...calls] of rows)
    it(`${line}: ends with ${end?.code ?? 0}`, async (test) => {
      const { directory, places } = offline(test, answers);
      await endsAlone([...line.split(" "), ...(line.includes("--url") ? [] : places)], end);
      const done = (notedCalls(directory) as { id?: string }[]).filter(({ id }) => id !== "close");
      assert.deepEqual(done, calls);
    });
});
