/** Turns from root into nobody with the clock's capability, and prints every thread's capabilities as JSON. */
import { readdirSync, readFileSync } from "node:fs";
import { argv, pid } from "node:process";
import { changeUserKeepingTimeCapability } from "../../../src/host/linux/clock/clock-addon.ts";
import { becomeUser, openCredentials } from "../../../src/host/linux/credentials.ts";

/** The sets of capabilities(7) by name, and the four user ids. */
export type ProcessStatus = Readonly<Record<string, string>>;

const nobody = { uid: 65_534, gid: 65_534 };
const addon = argv[2] ?? "";
const isKept = changeUserKeepingTimeCapability(addon, () =>
  becomeUser(openCredentials(addon, process), nobody),
);
const threads = readdirSync("/proc/self/task").filter((id) => Number(id) !== pid);
console.log(
  JSON.stringify({
    isKept,
    main: statusOf(`/proc/self/task/${pid}/status`),
    others: threads.map((id) => statusOf(`/proc/self/task/${id}/status`)),
  }),
);

function statusOf(path: string): ProcessStatus {
  const lines = readFileSync(path, "utf8").matchAll(/^(Cap(?:Inh|Prm|Eff|Amb)|Uid):\s*(.*)$/gm);
  return Object.fromEntries(
    [...lines].map(([, name = "", value = ""]) => [name, value.replaceAll("\t", " ")]),
  );
}
