import type { Guest, Ran } from "./vocabulary.ts";

const path = "/usr/lib/steward-vm/ask-root.mjs";

/** ask-root.mjs ORDERS [SECONDS]: sends each of these lines, a JSON array, and prints the answers; or all for so long. */
const program = `import { connect } from "node:net";
const [orders, seconds] = process.argv.slice(2).map((text) => JSON.parse(text));
const ask = (order) => new Promise((resolve) => {
  let answer = "";
  const connection = connect("/run/steward-helper.socket", () => connection.write(order));
  connection.setEncoding("latin1").on("data", (text) => { answer += text; });
  connection.on("error", ({ code }) => { answer ||= code; });
  connection.on("close", () => resolve(answer.trimEnd()));
});
if (seconds === undefined) {
  const answers = [];
  for (const order of orders) answers.push(await ask(order));
  console.log(JSON.stringify(answers));
} else {
  const counts = {};
  const one = async (first) => {
    for (let at = first; ; at += 1) {
      const kind = (await ask(orders[at % orders.length])).split(" ")[0] || "nothing";
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  };
  for (let at = 0; at < 24; at += 1) void one(at);
  // Orders that are under way then are not waited for.
  setTimeout(() => {
    console.log(JSON.stringify(counts));
    process.exit();
  }, seconds * 1000);
}
`;

/** The file with which a scenario asks the root helper as another user. */
export const askerFiles: Readonly<Record<string, string>> = { [path]: program };

/** The answers of the root helper to these bytes, a connection each; an error's code where it cannot be asked. */
export async function askRoot(guest: Guest, user: string, orders: readonly string[]): Promise<string[]> {
  const ran = await asUser(guest, user, [node, path, JSON.stringify(orders)]);
  return JSON.parse(ran.stdout) as string[];
}

/** Orders for a flood: each word that costs something, and one that is none. */
export const floodOrders = [
  `install ${"0123456789abcdef".repeat(2)}\n`,
  ...["rollback binary\n", "chrony burst\n", "restart-timesyncd\n", "nonsense\n"],
];

/** As many orders as possible at a time, 24 connections at once; the answers by their first word. */
export async function floodRoot(
  guest: Guest,
  user: string,
  orders: readonly string[],
  seconds: number,
): Promise<Record<string, number>> {
  const ran = await asUser(guest, user, [node, path, JSON.stringify(orders), String(seconds)]);
  return JSON.parse(ran.stdout) as Record<string, number>;
}

const node = "/usr/lib/steward/bin/node";

/** A command with that user's groups and without any capability. */
export function asUser(guest: Guest, user: string, [command = "", ...args]: readonly string[]): Promise<Ran> {
  const identity = [
    `--reuid=${user}`,
    `--regid=${user}`,
    "--init-groups",
    "--inh-caps=-all",
    "--bounding-set=-all",
  ];
  const environment = { SYSTEMD_COLORS: "0", PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
  return guest.run("setpriv", [...identity, command, ...args], { environment, timeoutSeconds: 120 });
}
