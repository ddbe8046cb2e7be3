import type { Option } from "../../terminal/commands/command.ts";
import { agreesTo, dryRunOption, requireConsent } from "../../terminal/commands/consent.ts";
import { escapeText } from "../../terminal/escape.ts";
import type { Command, Invocation } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";

const forceOption: Option = {
  name: "force",
  summary: "even while a release is on trial, which is then undone",
};

const reboot: Command = {
  path: ["reboot"],
  summary: "Restart the machine",
  options: [forceOption],
  worksOffline: true,
  async run(invocation) {
    await requireConsent(invocation, "Restart this machine now?");
    const body = { force: invocation.options.has("force") };
    const answer = await invocation.client.call("reboot", { body });
    await invocation.output.changed(answer, "The machine is restarting.");
  },
};

const powerOff: Command = {
  path: ["power-off"],
  summary: "Shut the machine down and switch it off; only a person at the machine can switch it on again",
  options: [forceOption],
  worksOffline: true,
  async run(invocation) {
    await requireConsent(
      invocation,
      "Switch this machine off? It can only be switched on again at the machine.",
    );
    const body = { force: invocation.options.has("force") };
    const answer = await invocation.client.call("powerOff", { body });
    await invocation.output.changed(answer, "The machine is shutting down.");
  },
};

const hostName: Command = {
  path: ["system", "host-name"],
  summary: "Show the host name, or change it to NAME",
  positionals: [{ name: "NAME", isOptional: true }],
  worksOffline: true,
  run: (invocation) => showOrChange(invocation, "host_name"),
};

const timeZone: Command = {
  path: ["system", "time-zone"],
  summary: "Show the time zone, or change it to ZONE; update windows follow it at once",
  examples: [{ line: "steward system time-zone Europe/Berlin", what: "local time of Berlin" }],
  positionals: [{ name: "ZONE", isOptional: true }],
  worksOffline: true,
  run: (invocation) => showOrChange(invocation, "time_zone"),
};

async function showOrChange(
  { positionals: [value], client, output }: Invocation,
  member: "host_name" | "time_zone",
): Promise<void> {
  const host = await (value === undefined
    ? client.call("getHost", {})
    : client.call("changeHost", { body: { [member]: value } }));
  await output.values({ [member]: host[member] }, [escapeText(host[member])]);
}

const factoryReset: Command = {
  path: ["factory-reset"],
  summary: "Delete accounts, settings, sessions, tokens and events, and return to the first run",
  examples: [
    { line: "steward factory-reset", what: "before the device goes to another owner" },
    { line: "steward factory-reset --image", what: "before its disk is copied to other devices" },
  ],
  options: [
    {
      name: "image",
      summary:
        "also delete the machine-id, and switch off: each copy of the disk then becomes its own device",
    },
    dryRunOption,
  ],
  worksOffline: true,
  async run(invocation) {
    const isImage = invocation.options.has("image");
    if (isImage) requireLocal(invocation.places, "factory-reset --image");
    const says = isImage ? [...deleted, ...forImage] : deleted;
    if (!(await agreesTo(invocation, { says, question: "Reset this device? This cannot be undone." })))
      return;
    await (isImage ? resetForImage(invocation) : reset(invocation));
  },
};

const deleted = [
  "Deleted: accounts, settings, sessions, API tokens, events, fetched updates, and the keys and certificates that the agent has made.",
  "Kept: installed releases, the root of trust of updates, and everything that root has put into /etc/steward.",
  "Then the device needs a first administrator: `steward user add NAME --role admin`. But /etc/steward/first-admin.json brings back the same one: for another owner, first delete it and type `systemctl restart steward`.",
];

const forImage = [
  "The audit lines in the journal and the machine-id are deleted too, and the machine is switched off: copy its disk before it is switched on again.",
];

async function reset({ client, output }: Invocation): Promise<void> {
  const { device_name } = await client.call("getStatus", {});
  const answer = await client.call("factoryReset", { body: { confirm: device_name } });
  await output.changed(
    answer,
    `${escapeText(device_name)} is reset. Next: \`steward user add NAME --role admin\`, unless /etc/steward/first-admin.json makes an administrator.`,
  );
}

async function resetForImage({ context, places, output }: Invocation): Promise<void> {
  await context.prepareImage(places);
  await output.changed({ image: true }, "The machine is prepared and switches off. Copy its disk now.");
}

export const machineCommands: readonly Command[] = [reboot, powerOff, hostName, timeZone, factoryReset];
