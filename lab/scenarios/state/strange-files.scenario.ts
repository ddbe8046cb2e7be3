import { renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { added } from "../box/rescue-situations.ts";

const state = "/var/lib/steward";

/** The agent's own. */
const node = "/usr/lib/steward/bin/node";

/** Another program may leave these where a file of the agent belongs: reading one would wait, or take all memory. */
export const scenario: TieredScenario = {
  title:
    "a pipe, a link, a socket or 2 GiB where documents should be keep neither the agent nor a rescue waiting",
  tiers: { container: {} },
  timeoutSeconds: 240,
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await added(guest, "anna", "admin");
        await guest.steward("system", "set", "device.name=edge 7");
        // Only an agent that ends has written every good copy.
        await guest.run("systemctl", ["stop", "steward.service"]);
        await replaceAll(guest);
        await rescues(guest, "with the agent stopped");
        await replaceAll(guest);
        await guest.run("systemctl", ["start", "steward.service"]);
        const health = await guest.stewardAnswers();
        guest.check("the agent starts, and is in no rescue", health.body.status === "degraded", health.body);
        await foundAgain(guest);
        await rescues(guest, "with the agent running");
      },
    },
  ],
};

/** As the agent's user, as a compromised agent could: root reads here too. */
async function replaceAll(guest: Guest): Promise<void> {
  const asAgent = (script: string) => guest.run("runuser", ["-u", "steward", "--", "sh", "-ec", script]);
  const pipes = await asAgent(
    ["users.json", ".lock", ".identity.json", ".transaction.json", "log.jsonl"]
      .map((name) => `rm -f '${state}/${name}'; mkfifo '${state}/${name}'`)
      .join("; "),
  );
  guest.check("pipes are put there", pipes.status === 0, pipes);
  rmSync(`${state}/settings.json`, { force: true });
  symlinkSync("/dev/zero", `${state}/settings.json`);
  writeFileSync(`${state}/.sparse`, "");
  truncateSync(`${state}/.sparse`, 2 ** 31);
  renameSync(`${state}/.sparse`, `${state}/sessions.json`);
  const socket = await asAgent(
    // Killed, because a server that ends takes its socket along.
    `rm -f '${state}/clock.json'; ${node} -e 'require("net").createServer().listen("${state}/clock.json", () => process.kill(process.pid, "SIGKILL"))' || :`,
  );
  guest.check("and a socket", socket.status === 0, socket);
  const kinds = await guest.run("stat", [
    "-c",
    "%F",
    ...["users", "settings", "sessions", "clock"].map(pathOf),
  ]);
  const wanted = "fifo\nsymbolic link\nregular file\nsocket\n";
  guest.check("which all are what they should be", kinds.stdout === wanted, kinds);
}

const pathOf = (name: string): string => `${state}/${name}.json`;

async function rescues(guest: Guest, when: string): Promise<void> {
  const said = await guest.run(
    "timeout",
    ["--kill-after=5", "60", "steward", "user", "rescue", "anna", "--yes"],
    { timeoutSeconds: 90 },
  );
  guest.check(`steward user rescue works ${when}`, said.status === 0, said);
}

async function foundAgain(guest: Guest): Promise<void> {
  const said = await guest.steward("state", "list");
  for (const [name, what] of [
    ["users", "is a pipe"],
    ["settings", "is a link"],
    ["sessions", "has 2147483648 bytes"],
    ["clock", "is a socket"],
  ] as const)
    guest.check(
      `${name}.json ${what}, which is said`,
      said.stdout.includes(`${name}.json ${what}`),
      said.stdout,
    );
  const settings = await guest.steward("-o", "json", "system", "get");
  guest.check("the settings are those of the good copy", settings.stdout.includes("edge 7"), settings);
  const regular = await guest.run("find", [
    state,
    "-maxdepth",
    "1",
    "-name",
    "*.json",
    "-not",
    "-name",
    "*.bad-*",
    "-not",
    "-type",
    "f",
  ]);
  guest.check(
    "and each document is a file again when it was written",
    !/users|settings/.test(regular.stdout),
    regular,
  );
}
