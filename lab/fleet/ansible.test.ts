/** Ansible, as Debian has it, drives `steward apply` over SSH and the settings over HTTPS, by the playbooks of scripts/ansible. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { unpacked } from "../host/debian-packages.ts";
import { type Devices, startDevices } from "./devices/devices.ts";
import { rowsOf } from "./programs.ts";

const root = join(import.meta.dirname, "../..");
const row = rowsOf("ansible");

/** As docs/fleet.md has them. */
const check = "ansible-playbook -i inventory.yml scripts/ansible/devices.yml --check";
const apply = "ansible-playbook -i inventory.yml scripts/ansible/devices.yml";
const certificates = "ansible-playbook -i inventory.yml scripts/ansible/certificates.yml";
const settings = "ansible-playbook -i inventory.yml scripts/ansible/settings.yml";

/** A port of the devices at which no SSH server is. */
const withoutSsh = { variables: { ansible_port: 9 } };

/** The secret of an authenticator: the test key of RFC 6238, in base32. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n";

const rootOfTrust = "site/public/metadata/1.root.json";

/** The run of a playbook: ansible's summary, and all that it printed. */
interface Run {
  readonly recap: Readonly<Record<string, { readonly changed: number; readonly failed: number }>>;
  readonly text: string;
}

describe("ansible", () => {
  let devices: Devices;
  let token: string;
  let play: ReturnType<typeof newPlayer>;

  before(async () => {
    devices = await startDevices(2);
    const steward = (args: string[], input = "") =>
      execFileSync(process.execPath, [join(root, "dist/main.js"), ...args], {
        input,
        encoding: "utf8",
        stdio: "pipe",
      }).trim();
    const prepared = join(devices.directory, "token.json");
    token = steward([
      ...["token", "prepare", prepared, "--user", "fleet", "--name", "ansible"],
      ...["--scope", "system:read", "--scope", "system:write", "--quiet"],
    ]);
    const { token_hash } = JSON.parse(readFileSync(prepared, "utf8")) as { token_hash: string };
    const password_hash = steward(["hash-password", "--password-stdin"], "nine quiet rivers bend\n");
    const site = join(devices.directory, "site");
    for (const words of [
      ["init", site, "--product", "demo"],
      ["publish", site],
    ])
      execFileSync(process.execPath, [join(root, "dist-publisher/main.cjs"), ...words], { stdio: "pipe" });
    copyFileSync(join(devices.directory, rootOfTrust), join(devices.directory, "update-root.json"));
    const newKey =
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.crt -days 30";
    const words = [...newKey.split(" "), "-subj", "/O=Example/CN=Fleet CA"];
    execFileSync("openssl", words, { cwd: devices.directory, stdio: "ignore" });
    // Each device has a key of its own, so the same secret is another text for each.
    const sealed = devices.all.map((_, index) => {
      const key = devices.on(index, "steward seal-key").stdout.trim();
      return { steward_sealed_lena: steward(["seal", "--to", key, "--user", "lena"], secret) };
    });
    play = newPlayer(devices, sealed, {
      steward_configuration: {
        version: 1,
        users: [
          { name: "fleet", role: "admin", password_hash },
          {
            ...{ name: "lena", role: "readonly", password_hash, update_password: "on_create" },
            second_factor: { sealed: "{{ steward_sealed_lena }}" },
          },
        ],
        tokens: [
          {
            ...{ token_hash, name: "ansible", user: "fleet", is_fleet: true, sources: ["10.77.0.1/32"] },
            scopes: ["system:read", "system:write", "configuration:read"],
          },
        ],
        // The differences between devices come from the variables of each.
        settings: { device: { name: "{{ inventory_hostname }}" } },
        update_root: "{{ lookup('file', inventory_dir ~ '/update-root.json') | from_json }}",
      },
      steward_certificates: devices.directory,
      steward_ca: join(devices.directory, "ca"),
      steward_names: ["{{ inventory_hostname }}", "{{ inventory_hostname }}.local"],
      steward_token: token,
      // Only administrators may set the second.
      steward_settings: { device: { location: "hall 3" }, security: { session_idle: "45m" } },
    });
  });
  after(() => devices?.dispose());

  it("is called as docs/fleet.md says", () => {
    const page = readFileSync(join(root, "docs/fleet.md"), "utf8");
    assert.ok(page.includes(`\`\`\`sh checkout\n${check}\n${apply}\n${certificates}\n${settings}\n\`\`\`\n`));
  });

  it("keeps what it is given out of the logs of device and controller, which have syslog or none", () => {
    for (const name of ["devices", "certificates", "settings"])
      assert.match(
        readFileSync(join(root, `scripts/ansible/${name}.yml`), "utf8"),
        /^ {2}vars:\n( {4}#.*\n)* {4}ansible_no_target_syslog: true$/m,
      );
  });

  it("brings both devices to what the file says, as --check says before, and a second run reports no change", () => {
    const isChanged = (count: number | undefined) => (count ?? 0) > 0;
    assert.ok(changesOf(play(check)).every(isChanged));
    assert.deepEqual(JSON.parse(devices.on(0, "steward -o json user list").stdout).items, []);
    const first = play(apply);
    assert.ok(changesOf(first).every(isChanged));
    const { stdout } = devices.on(1, "steward -o json user list");
    const names = JSON.parse(stdout).items.map(({ username }: { username: string }) => username);
    assert.deepEqual(names.sort(), ["fleet", "lena"]);
    for (const [index] of devices.all.entries()) {
      assert.match(devices.on(index, "steward user 2fa status lena").stdout, /^enabled +yes$/m);
      const installed = devices.on(index, "cat /etc/steward/update-root.json").stdout;
      const published = readFileSync(join(devices.directory, rootOfTrust), "utf8");
      assert.deepEqual(JSON.parse(installed), JSON.parse(published));
    }
    assert.deepEqual(changesOf(play(apply)), [0, 0]);
    row("devices.yml over SSH, changed tasks", `${changesOf(first).join(" and ")}, then none`);
  });

  it("opens no shell of root where nothing differs, nor to say what does", () => {
    assert.deepEqual(changesOf(play(apply, withoutSsh)), [0, 0]);
    assert.deepEqual(changesOf(play(check, withoutSsh)), [0, 0]);
    assert.equal(devices.on(1, "steward user set lena --role operator").status, 0);
    const run = play(check, withoutSsh);
    assert.deepEqual(changesOf(run), [0, 1]);
    assert.match(run.text, /changed user lena: role/);
    assert.match(play(apply, { ...withoutSsh, fails: true }).text, /Connection refused/);
    // One for what differs; the other tasks look, and find HTTPS as it is to be.
    assert.deepEqual(changesOf(play(apply)), [0, 1]);
    assert.match(devices.on(1, "steward -o json user show lena").stdout, /"role": "readonly"/);
    row("devices.yml without a change, connections by SSH", "none");
  });

  it("changes settings over HTTPS with the fleet's token, says so before with --check, and mends what a person changed", () => {
    const dry = play(`${settings} --check`);
    assert.deepEqual(changesOf(dry), [1, 1]);
    assert.match(dry.text, /security: .*→ .*45m/);
    assert.notEqual(settingsOf(0).device.location, "hall 3");
    assert.deepEqual(changesOf(play(settings)), [1, 1]);
    const { location, name } = settingsOf(0).device;
    assert.deepEqual([location, name], ["hall 3", "device1"]);
    const second = changesOf(play(settings));
    assert.deepEqual(second, [0, 0]);
    row("settings.yml over HTTPS, second run, changed tasks", second.join(" and "));
    assert.equal(devices.on(1, "steward system set security.session_idle=30m").status, 0);
    assert.deepEqual(changesOf(play(settings)), [0, 1]);
    assert.equal(settingsOf(1).security.session_idle, "45m");
  });

  it("counts the token from the controller alone: a device that has it can do nothing with it", () => {
    const call = ["curl", "-sS", "--cacert", join(devices.directory, "device1.pem")];
    const header = ["-H", `Authorization: Bearer ${token}`, "https://10.77.0.11:8443/api/system"];
    assert.match(devices.run([...call, ...header]).stdout, /"session_idle"/);
    const elsewhere = ["ip", "netns", "exec", "device2", ...call, ...header];
    assert.match(devices.run(elsewhere).stdout, /"invalid_token"|"token_source/);
  });

  it("is refused with the place of each fault, and nothing is changed", () => {
    const users = [
      { name: "fleet", role: "admin", password_hash: "letmein" },
      { name: "olga", rolle: "admin" },
    ];
    const before = devices.on(0, "steward -o json user list").stdout;
    const run = play(`${apply} --limit device1`, {
      variables: { steward_configuration: { version: 1, users } },
      fails: true,
    });
    assert.match(run.text, /\/users\/0\/password_hash/);
    assert.match(run.text, /\/users\/1\/rolle/);
    assert.equal(devices.on(0, "steward -o json user list").stdout, before);
  });

  it("does not send the token to a device whose certificate is another's", () => {
    const swapped = join(devices.directory, "swapped");
    mkdirSync(swapped);
    for (const [own, other] of [
      ["device1", "device2"],
      ["device2", "device1"],
    ])
      copyFileSync(join(devices.directory, `${own}.pem`), join(swapped, `${other}.pem`));
    const run = play(settings, { variables: { steward_certificates: swapped }, fails: true });
    assert.deepEqual(
      devices.all.map(({ name }) => run.recap[name]?.failed),
      [1, 1],
    );
    assert.match(run.text, /CERTIFICATE_VERIFY_FAILED/);
  });

  it("has each device show a certificate of the CA for its own key, and a second run changes nothing", () => {
    // The certificate, and the CA's in the place of the device's own here.
    assert.deepEqual(changesOf(play(`${certificates} --check`)), [2, 2]);
    assert.equal(devices.on(0, "ls /etc/steward/tls").status, 2);
    const first = play(certificates);
    for (const [index, { name, address }] of devices.all.entries()) {
      assert.ok((first.recap[name]?.changed ?? 0) > 0, `${name} changed`);
      for (const host of [name, `${name}.local`, address]) {
        const url = `https://${host}:8443/api/version`;
        const call = ["curl", "-sS", "--cacert", join(devices.directory, "ca.crt")];
        const { stdout, stderr } = devices.run([...call, "--resolve", `${host}:8443:${address}`, url]);
        assert.match(stdout, /"name":"steward"/, stderr);
      }
      const { stdout } = devices.on(index, "cd /etc/steward/tls && stat -c '%n %a %U %G' *");
      assert.match(stdout, /^60-request-0001\.crt 644 root \w+\n60-request-0001\.key 640 root steward\n$/);
    }
    const keys = devices.all.map((_, index) => devices.on(index, "cat /etc/steward/tls/*.key").stdout);
    assert.equal(new Set(keys).size, 2);
    const { stdout: found } = devices.run(["grep", "-rl", "--", keyLineOf(keys[0]), devices.directory]);
    assert.equal(found, "", "the key has left the device");
    const second = play(certificates);
    assert.deepEqual(changesOf(second), [0, 0]);
    row("certificates.yml, changed tasks", `${changesOf(first).join(" and ")}, then none`);
    // They go on over HTTPS by the CA.
    for (const line of [settings, apply, settings]) assert.deepEqual(changesOf(play(line)), [0, 0]);
  });

  it("signs no name of another device, whatever a device asks for, and renews with a new key", () => {
    const before = devices.on(1, "cat /etc/steward/tls/*.key").stdout;
    const file = "/etc/steward/steward.json";
    const lie = `sed -i '0,/{/s//{"names": ["device1"],/' ${file} && steward tls reload && steward tls request`;
    const { status, stdout: request, stderr } = devices.on(1, lie);
    assert.equal(status, 0, stderr);
    const read = ["req", "-noout", "-text"];
    assert.match(execFileSync("openssl", read, { input: request, encoding: "utf8" }), /DNS:device1/);
    const run = play(certificates, { variables: { steward_renew_days: 365 } });
    assert.ok(changesOf(run).every((count) => (count ?? 0) > 0));
    const shown = JSON.parse(devices.on(1, "steward -o json tls show").stdout).certificate;
    assert.deepEqual([shown.installed, shown.names], ["60-request-0002", ["device2", "device2.local"]]);
    assert.notEqual(devices.on(1, "cat /etc/steward/tls/*.key").stdout, before);
  });

  it("has another CA sign by the command that steward_sign names", () => {
    const words = ["openssl", "x509", "-req", "-in", "{{ request }}", "-extfile", "{{ extensions }}"];
    const authority = ["-CA", "{{ steward_ca }}.crt", "-CAkey", "{{ steward_ca }}.key", "-days", "300"];
    const steward_sign = [...words, ...authority, "-out", "{{ answer }}"];
    play(`${certificates} --limit device1`, { variables: { steward_sign, steward_renew_days: 100 } });
    const { not_before, not_after } = JSON.parse(
      devices.on(0, "steward -o json tls show").stdout,
    ).certificate;
    assert.equal((Date.parse(not_after) - Date.parse(not_before)) / 86_400_000, 300);
  });

  /** A line of a key in PEM that no other file has by chance. */
  function keyLineOf(pem: string | undefined): string {
    return pem?.split("\n")[1] ?? assert.fail("there is no key");
  }

  /** The number of tasks that changed something, device by device. */
  function changesOf({ recap }: Run): (number | undefined)[] {
    return devices.all.map(({ name }) => recap[name]?.changed);
  }

  function settingsOf(index: number) {
    return JSON.parse(devices.on(index, "steward -o json system get").stdout);
  }
});

/** Runs playbooks against the devices, each with variables of its own. Ansible's own ending tells whether all tasks went well. */
function newPlayer(devices: Devices, ofEach: readonly object[], variables: object) {
  const unpacked = unpackAnsible();
  const hosts = devices.all.map(({ name, address }, index) => {
    const ssh = { ansible_user: "root", ansible_ssh_common_args: devices.ssh.join(" ") };
    return [name, { ansible_host: address, ansible_port: 2222, ...ssh, ...ofEach[index] }] as const;
  });
  // The folder that the commands are typed in; JSON is YAML.
  writeFileSync(
    join(devices.directory, "inventory.yml"),
    JSON.stringify({ devices: { hosts: Object.fromEntries(hosts) } }),
  );
  symlinkSync(join(root, "scripts"), join(devices.directory, "scripts"));
  const bin = join(devices.directory, "bin");
  mkdirSync(bin);
  const program = `#!/bin/sh\nexec /usr/bin/python3 ${join(unpacked, "usr/bin/ansible-playbook")} "$@"\n`;
  writeFileSync(join(bin, "ansible-playbook"), program, { mode: 0o755 });
  const configuration = join(devices.directory, "ansible.cfg");
  writeFileSync(configuration, "");
  const environment = {
    ANSIBLE_HOME: join(devices.directory, "ansible"),
    // Not the caller's own.
    ANSIBLE_CONFIG: configuration,
    ANSIBLE_NOCOLOR: "1",
    ANSIBLE_PYTHON_INTERPRETER: "/usr/bin/python3",
    PATH: `${bin}:${process.env.PATH}`,
    PYTHONPATH: join(unpacked, "usr/lib/python3/dist-packages"),
    LC_ALL: "C.UTF-8",
  };
  return (line: string, given: { variables?: object; fails?: boolean } = {}): Run => {
    const extra = join(devices.directory, "variables.json");
    writeFileSync(extra, JSON.stringify({ ...variables, ...given.variables }));
    const { status, stdout, stderr } = devices.run(
      ["sh", "-c", `cd ${devices.directory} && ${line} -e @variables.json`],
      { environment },
    );
    assert.equal(status !== 0, given.fails ?? false, `${line} ended with ${status}\n${stdout}\n${stderr}`);
    return { recap: recapOf(stdout), text: stdout };
  };
}

/** Reads lines such as `device1 : ok=4 changed=2 unreachable=0 failed=0 …`. */
function recapOf(text: string): Run["recap"] {
  const lines = text
    .slice(text.lastIndexOf("PLAY RECAP"))
    .matchAll(/^(\S+)\s*:.*changed=(\d+).*failed=(\d+)/gm);
  return Object.fromEntries(
    [...lines].map(([, name = "", changed, failed]) => [
      name,
      { changed: Number(changed), failed: Number(failed) },
    ]),
  );
}

/** Debian's ansible-core with what it needs, for Debian's own Python. */
function unpackAnsible(): string {
  const packages = [
    ...["ansible-core", "python3-cffi-backend", "python3-cryptography", "python3-jinja2"],
    ...["python3-markupsafe", "python3-packaging", "python3-resolvelib", "python3-yaml"],
  ];
  return unpacked("ansible", "", ...packages);
}
