import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { temporaryDirectory } from "../../lab/basics/ending.ts";
import type { Facts } from "../../src/contract/types.ts";
import { createRunCommand } from "../../src/host/linux/commands.ts";
import type { CommandResult } from "../../src/host/ports.ts";
import { createBriefReading } from "../../src/system/brief-reading.ts";
import { createFacts } from "../../src/system/facts.ts";
import { readServices } from "../../src/system/services.ts";
import { createTemperature } from "../../src/system/temperature.ts";

const root = join(import.meta.dirname, "../..");

describe("the facts of the host", () => {
  const known = { manufacturer: "ACME", model: "E 7", cpu: "Atom", disks: [], temperatures: [] };

  /** Facts of a host whose processes end so, one after the other. */
  function factsOf(...endings: (Partial<CommandResult> | Error)[]) {
    const host = { uptime: 100, started: 0 };
    const place = { node: "/usr/bin/node", script: "/usr/lib/steward/slow-facts.js", services: [] };
    const read = createFacts(place, {
      identity: { hostname: "edge" },
      time: { uptime: () => host.uptime },
      names: { timeZone: async () => "Europe/Berlin" },
      run: async () => {
        const ending = endings[host.started] ?? assert.fail("no ending");
        host.started += 1;
        if (ending instanceof Error) throw ending;
        return { status: 0, stdout: "", stderr: "", ...ending };
      },
    });
    return { host, read };
  }

  it("are read by one process for all who ask within ten seconds, and then by another", async () => {
    const text = JSON.stringify(known);
    const { host, read } = factsOf({ stdout: text }, { stdout: text.replace("E 7", "E 8") });
    const models = async () => (await Promise.all([read(), read()])).map(({ model }) => model);
    assert.deepEqual([await models(), host.started], [["E 7", "E 7"], 1]);
    host.uptime += 11;
    assert.deepEqual([await models(), host.started], [["E 8", "E 8"], 2]);
  });

  for (const [name, ending] of [
    ["cannot be started", new Error("spawn ENOENT")],
    ["is killed because it takes too long", { status: null, stdout: "" }],
    ["ends in the middle of its answer", { status: null, stdout: '{"manufacturer":"AC' }],
  ] as const)
    it(`are those of the kernel only where the process ${name}`, async () => {
      const { manufacturer, model, cpu, disks, temperatures, memory } = await factsOf(ending).read();
      assert.deepEqual([manufacturer, model, cpu.model, disks, temperatures], [null, null, null, [], []]);
      assert.ok(cpu.cores >= 1 && memory.total_bytes > 0, JSON.stringify({ cpu, memory }));
    });

  it("have a process that prints them as the agent takes them", async () => {
    const script = join(root, "dist/slow-facts.js");
    const limits = { timeoutMilliseconds: 30_000 };
    const { stdout, stderr, status } = await createRunCommand()(process.execPath, [script], limits);
    assert.deepEqual([status, stderr], [0, ""]);
    const facts = JSON.parse(stdout);
    assert.deepEqual(Object.keys(facts).sort(), Object.keys(known).sort());
    assert.ok(facts.disks.length >= 1 && facts.disks.every((disk: { mount: unknown }) => disk.mount), stdout);
  });
});

it("a brief reading serves all callers for a quarter of a second, and no longer", () => {
  let [now, figure] = [100, 0];
  const next = () => {
    figure += 1;
    return figure;
  };
  const read = createBriefReading(next, () => now);
  const at = (seconds: number): number => {
    now = 100 + seconds;
    return read();
  };
  assert.deepEqual([0, 0.2, 0.25, 0.3, 0.49, 0.5].map(at), [1, 1, 2, 2, 2, 3]);
});

describe("the facts of the network", { skip: process.getuid?.() !== 0 && "namespaces need root" }, () => {
  /** A network of two interfaces in a namespace of its own, made by ip(8); the second one has no address. */
  const network = `set -e
ip link set lo up
ip link add lan0 address 02:00:00:00:00:07 type veth peer name lan1
ip link set lan0 up addrgenmode none
ip link set lan1 up addrgenmode none
ip addr add 192.0.2.10/24 dev lan0
ip addr add 198.51.100.7/32 dev lan0
ip -6 addr add 2001:db8::10/64 dev lan0 nodad
ip route add 203.0.113.0/24 via 192.0.2.2
`;

  /** The facts as the module reads them after the script, in the namespaces. */
  function factsAfter(script: string): Facts["network"] {
    const code = `import("${root}/src/system/network-facts.ts").then(async ({ readNetwork }) => console.log(JSON.stringify(await readNetwork())))`;
    const words = [process.execPath, "--import", "tsx", "--input-type=module", "-e", code];
    const text = `${network}${script}\nexec "$@"`;
    const options = ["--net", "--mount", "--propagation", "private", "sh", "-c", text, "sh", ...words];
    return JSON.parse(execFileSync("unshare", options, { cwd: root, encoding: "utf8", stdio: "pipe" }));
  }

  it("are the addresses by interface, the default gateways and the name servers", async (test) => {
    const file = join(await temporaryDirectory(test), "resolv.conf");
    const servers = ["# nameserver 192.0.2.99", "nameserver 192.0.2.53", "search example.net"];
    writeFileSync(file, [...servers, "nameserver 2001:db8::53", ""].join("\n"));
    const defaults = "ip route add default via 192.0.2.1\nip -6 route add default via 2001:db8::1";
    const addresses = ["192.0.2.10/24", "198.51.100.7/32", "2001:db8::10/64"];
    assert.deepEqual(factsAfter(`${defaults}\nmount --bind ${file} /etc/resolv.conf`), {
      interfaces: [{ name: "lan0", mac: "02:00:00:00:00:07", addresses }],
      gateways: ["192.0.2.1", "2001:db8::1"],
      name_servers: ["192.0.2.53", "2001:db8::53"],
    });
  });

  it("name no gateway where there is no default route, and the servers behind systemd-resolved", async (test) => {
    const directory = await temporaryDirectory(test);
    writeFileSync(join(directory, "stub"), "nameserver 127.0.0.53\noptions edns0\n");
    writeFileSync(join(directory, "asked"), "nameserver 192.0.2.53\n");
    const { gateways, name_servers } = factsAfter(`mount --bind ${directory}/stub /etc/resolv.conf
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/resolve
cp ${directory}/asked /run/systemd/resolve/resolv.conf`);
    assert.deepEqual([gateways, name_servers], [[], ["192.0.2.53"]]);
  });
});

describe("the services that the host file names", () => {
  it("have the states that systemctl says, in their order", async () => {
    const units = ["pump.service", "pump-web.service", "none.service"];
    // As systemctl of systemd 252 has written it for a service, one that failed, and one that does not exist.
    const stdout = `LoadState=loaded
ActiveState=active

ActiveState=failed
LoadState=loaded

LoadState=not-found
ActiveState=inactive
`;
    const asked: string[] = [];
    const found = await readServices(async (_program, args) => {
      asked.push(args.slice(-4).join(" "));
      return { status: 0, stdout, stderr: "" };
    }, units);
    const states = found.map(({ unit, state }) => `${unit} ${state}`);
    assert.deepEqual(states, ["pump.service active", "pump-web.service failed", "none.service not-found"]);
    assert.deepEqual(asked, [`-- ${units.join(" ")}`]);
  });

  it("have none where systemctl is absent or fails, and take no process where there are none", async (test) => {
    const directory = await temporaryDirectory(test);
    const text = "#!/bin/sh\necho ActiveState=active\necho 'Failed to connect to bus' >&2\nexit 1\n";
    writeFileSync(join(directory, "systemctl"), text, { mode: 0o755 });
    for (const path of ["/nonexistent", `${directory}:/usr/bin:/bin`]) {
      const found = await readServices(createRunCommand({ path }), ["pump.service"]);
      assert.deepEqual(found, [{ unit: "pump.service", state: null }]);
    }
    assert.deepEqual(await readServices(() => assert.fail("a process was started"), []), []);
  });
});

it("the temperature of the processor is that of its zone, read anew each time, or else of a monitoring chip", async (test) => {
  const directory = await temporaryDirectory(test);
  const put = (files: Readonly<Record<string, string>>): void => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), `${text}\n`);
    }
  };
  const found = () => createTemperature(directory)();
  assert.equal(await found(), null);
  put({ "thermal/thermal_zone0/type": "acpitz", "thermal/thermal_zone0/temp": "27800" });
  put({ "thermal/thermal_zone1/type": "x86_pkg_temp" });
  assert.equal(await found(), null);
  put({ "hwmon/hwmon0/name": "nvme", "hwmon/hwmon0/temp1_input": "30000" });
  put({ "hwmon/hwmon1/name": "k10temp", "hwmon/hwmon1/temp1_input": "52000" });
  assert.equal(await found(), 52);
  put({ "thermal/thermal_zone1/temp": "41250" });
  const read = createTemperature(directory);
  assert.equal(await read(), 41.25);
  put({ "thermal/thermal_zone1/temp": "-3000" });
  assert.equal(await read(), -3);
  rmSync(join(directory, "thermal/thermal_zone1/temp"));
  assert.equal(await read(), null);
});
