/** make install, make uninstall, and the same with -publisher: main.ts [--publisher] [--remove] [--destination DIR] [--prefix DIR] [--runtime FILE] [--timekeeper no]. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Choices, install, type Place, uninstall } from "./files.ts";
import { installPublisher, uninstallPublisher } from "./publisher.ts";

const { values } = parseArgs({
  options: {
    publisher: { type: "boolean", default: false },
    remove: { type: "boolean", default: false },
    destination: { type: "string", default: "" },
    prefix: { type: "string", default: "/usr" },
    runtime: { type: "string", default: "" },
    timekeeper: { type: "string", default: "" },
  },
});

try {
  if (!values.prefix.startsWith("/")) throw new Error(`PREFIX is an absolute path, not ${values.prefix}`);
  if (!["", "yes", "no"].includes(values.timekeeper))
    throw new Error(`TIMEKEEPER is yes or no, not ${values.timekeeper}`);
  const choices: Choices = {
    isTimekeeper: values.timekeeper !== "no",
    runtime: values.runtime === "" ? undefined : resolve(values.runtime),
  };
  const place: Place = { destination: resolve(values.destination || "/"), prefix: values.prefix };
  refuseBesidePackage(place, values.publisher ? "steward-publisher" : "steward");
  if (values.publisher && values.remove) uninstallPublisher(place);
  else if (values.publisher) installPublisher(place, join(import.meta.dirname, "../../dist-publisher"));
  else if (values.remove) {
    uninstall(place);
    sayWhatStays(place);
  } else {
    refuseForeignAccounts(place);
    await install(place, choices);
    if (place.destination === "/") startOnce(place);
  }
} catch (error) {
  process.stderr.write(`make install: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** On this machine itself, and not in an image: where no Node fits, the launcher says so, and how to bring one along. */
function startOnce({ prefix }: Place): void {
  const words = [join(prefix, "lib/steward/steward"), "--version"];
  const { status } = spawnSync("/bin/sh", words, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) process.exitCode = 1;
}

function sayWhatStays({ destination }: Place): void {
  const state = ["", "-releases", "-trust", "-host", "-backups"].map((end) => `var/lib/steward${end}`);
  const paths = ["etc/steward", ...state].map((path) => join(destination, path)).filter(existsSync);
  const users = join(destination, "etc/passwd");
  const hasUser = existsSync(users) && /^steward:/m.test(readFileSync(users, "utf8"));
  const stays = [...paths, ...(hasUser ? ["the user and the group steward"] : [])];
  if (stays.length > 0) process.stdout.write(`These stay:\n${stays.map((one) => `    ${one}\n`).join("")}`);
}

/** The agent would run as the person whose user or group has one of its names, on this machine or in the image. */
function refuseForeignAccounts({ destination }: Place): void {
  const script = join(import.meta.dirname, "../build/accounts.sh");
  const { status, stdout, stderr } = spawnSync("/bin/sh", [script, destination], { encoding: "utf8" });
  const [found = "", typed] = stdout.trimEnd().split("\n");
  if (status !== 0) throw new Error(`the accounts could not be looked at: ${stderr}`);
  if (found === "") return;
  const spare = "The other account gets a name that ends in -old and keeps its files and its password";
  const words = `Nothing was installed. ${spare}. Type as root, then install again:`;
  throw new Error(`${found} ${words}\n    ${typed}`);
}

/** Files of dpkg's would be written over or removed behind its back. */
function refuseBesidePackage({ destination }: Place, name: string): void {
  if (!existsSync(join(destination, `var/lib/dpkg/info/${name}.list`))) return;
  const remove = `apt remove ${name} (state and settings stay)`;
  const words = "Steward is installed here by its Debian package. Install a new package, or first remove it";
  throw new Error(`${words}: ${remove}`);
}
