import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";

const page = () => readFileSync(join(import.meta.dirname, "../../../docs/product.md"), "utf8");
const hostFile = "/etc/steward/steward.json";
const flood = "/usr/local/lib/flood.cjs";
const floodSeconds = 8;

/** The product's word as a device hears it: of its units only, and of no one else. */
export const scenario: TieredScenario = {
  title: "the product's units report over a socket that is open to all, and no one else is heard there",
  tiers: { container: {}, vm: {} },
  timeoutSeconds: 240,
  asks: { "the recipe": page },
  files: {
    "/usr/lib/sysusers.d/visitor.conf":
      "u visitor - Visitor /var/empty /bin/sh\nu pump - Pump /var/empty /bin/sh\n",
    // A stranger who connects again and again, on ten connections at once, and keeps what they are given.
    [flood]: `const { connect } = require("node:net");
const codes = {};
const come = () => {
  let text = "";
  const socket = connect("/run/steward-product/socket", () => socket.write('{"ok":"pressure_low"}\\n'));
  socket.on("data", (data) => { text += data; }).on("error", () => undefined).on("close", () => {
    const [, code = "none"] = /"code":"(\\w+)"/.exec(text) ?? [];
    codes[code] = (codes[code] ?? 0) + 1;
    setTimeout(come, 1);
  });
};
for (let one = 0; one < 10; one += 1) come();
setTimeout(() => { console.log(JSON.stringify(codes)); process.exit(); }, ${floodSeconds * 1_000});
`,
  },
  boots: [{ run: walk(recipe, strangers, floods, startsAndStops) }],
};

/** As a transient unit, whose processes are in its control group as those of any. */
const inUnit = (unit: string, line: string, more = "--property=DynamicUser=yes") =>
  `systemd-run --quiet --unit=${unit} --wait --pipe --collect ${more} /bin/sh -c '${line}'`;

const need = "steward product need pressure_low bar=0.8";

/** Types what docs/product.md has a unit's script type. */
async function recipe(guest: Guest): Promise<void> {
  const text = String(await guest.ask("the recipe"));
  const section = text.slice(text.indexOf("## Report events and needs"));
  const [, json = ""] = /^```json\n(.*?)^```$/ms.exec(section) ?? [];
  const [, script = ""] = /^```sh appliance\n(.*?)^```$/ms.exec(section) ?? [];
  const product = JSON.parse(json);
  const reports = product.reports.map(({ page: _, ...report }: { page?: string }) => report);
  writeFileSync(hostFile, JSON.stringify({ product: { name: "pump-7", ...product, reports } }));
  await guest.types("steward host-file check && systemctl restart steward.service");
  for (const line of script.trim().split("\n")) await guest.types(inUnit("pump", line), { says: "taken" });
  const { items } = await guest.api("/api/events?type=product.reported");
  const found = items.map(({ actor }: { actor: { name: string } }) => actor.name).join();
  guest.check("the event is the unit's", found === "pump.service", items);
  await guest.types(inUnit("pump", need));
  const { needs } = await guest.api("/api/status");
  guest.check("the need is the device's", JSON.stringify(needs).includes("The pressure is 0.8 bar"), needs);
}

// systemd.service(5): $$ is a dollar sign for the shell.
const moves =
  "g=$$(ls -d /sys/fs/cgroup/systemd/system.slice/other.service /sys/fs/cgroup/system.slice/other.service 2>/dev/null | head -1); mkdir $$g/pump.service && echo $$$$ >$$g/pump.service/cgroup.procs && steward product ok pressure_low";

/** Processes outside of the unit, by each way into it that a user has. */
async function strangers(guest: Guest): Promise<void> {
  const refused = { status: 4, says: /only units that product\.units of the host file names may report/ };
  await guest.types("steward product ok pressure_low", {
    ...refused,
    what: "root outside of a unit is refused",
  });
  await guest.types(
    "setpriv --reuid visitor --regid visitor --clear-groups steward product ok pressure_low",
    { ...refused, what: "a user is refused" },
  );
  await guest.types(inUnit("other", "steward product ok pressure_low"), {
    status: 4,
    says: "belongs to the unit other.service",
  });
  await guest.types(inUnit("pump-2", "steward product ok pressure_low"), {
    status: 4,
    says: "pump-2.service",
  });
  await guest.types(inUnit("other", moves, "--property=User=visitor --property=Delegate=yes"), {
    status: 4,
    says: "belongs to the unit other.service",
    what: "a user who names a group of their own like the unit is refused",
  });
  const { needs } = await guest.api("/api/status");
  guest.check("the need is still there", JSON.stringify(needs).includes("The pressure is 0.8 bar"), needs);
}

async function floods(guest: Guest): Promise<void> {
  const node = (await guest.types("readlink /proc/$(systemctl show -P MainPID steward)/exe")).trim();
  const flooding = guest.run("setpriv", [
    "--reuid",
    "visitor",
    "--regid",
    "visitor",
    "--clear-groups",
    node,
    flood,
  ]);
  await guest.pause(1);
  for (let turn = 0; turn < 3; turn += 1)
    await guest.becomes(inUnit("pump", need), floodSeconds, {
      says: "taken",
      what: "the product is heard in a flood",
    });
  const { stdout } = await flooding;
  const codes = JSON.parse(stdout);
  guest.check(
    "the stranger gets nothing else than a refusal",
    Object.keys(codes).every((code) => /^(rate_limited|forbidden|none)$/.test(code)),
    codes,
  );
  guest.check("root is asked about few of them", codes.forbidden <= 2 * floodSeconds + 4, codes);
  guest.figure(
    "connections of the flood",
    Object.values<number>(codes).reduce((sum, one) => sum + one),
    "",
  );
}

async function startsAndStops(guest: Guest): Promise<void> {
  const modes = () =>
    ["/run/steward-product", "/run/steward-product/socket"]
      .map((path) => (statSync(path).mode & 0o777).toString(8))
      .join();
  guest.check(
    "it is open to all, and its directory to none who would list it",
    modes() === "711,666",
    modes(),
  );
  const talking = inUnit("pump", `while :; do ${need}; done`, "").replace(
    "--wait --pipe --collect",
    "--collect",
  );
  await guest.types(talking);
  for (let turn = 0; turn < 5; turn += 1) {
    const said = await guest.types("systemctl stop steward");
    guest.check("systemctl has nothing to say of a stop", said === "", said);
    await guest.pause(0.5);
    await guest.types("systemctl is-active steward", { status: "fails", says: "inactive" });
    await guest.types("systemctl start steward");
  }
  await guest.types("systemctl stop pump");
  await guest.types(inUnit("pump", need), { says: "taken" });
  await guest.types("systemctl restart steward");
  await guest.types(inUnit("pump", need), { says: "taken", what: "it is heard after a restart" });
  await guest.types("systemctl kill --signal=KILL steward");
  await guest.becomes(inUnit("pump", need), 20, { says: "taken", what: "and after the agent was killed" });
  await guest.types(inUnit("pump", "steward product ok pressure_low"), { says: "taken" });
}
