import { isAbsolute, normalize } from "node:path";
import { durationSecondsOrNaN } from "../../../contract/durations.ts";
import type { StewardError } from "../../../contract/errors.ts";
import type { ApplyPlan, HealthPlan, HttpCheck } from "../../release-ports.ts";
import { serviceName } from "./service-name.ts";

/** How releases of each kind are activated; null: releases of this kind are not applied here. */
export type ApplyPlans = Readonly<Record<"rules" | "binary", ApplyPlan | null>>;

/** Makes the error of a reason that continues after the path of the file. */
export type Refuse = (what: string, cause?: unknown) => StewardError;

/** The placeholder for the release's directory in the words of a program. */
export const releasePlace = "{release}";

/** Steward as a product: activated as its package does it, unless the host file says otherwise. */
const ownBinary: ApplyPlan = {
  unit: "steward.service",
  activate: null,
  // Not the command `version`, which asks the running agent.
  selfTest: [`${releasePlace}/lib/steward/steward`, "--version"],
  health: {
    http: [
      { url: "http://127.0.0.1:8470/api/version", status: 200, versionMember: "version" },
      { url: "http://127.0.0.1:8470/api/health/ready", status: 200, versionMember: null },
    ],
    command: null,
    successes: 6,
    intervalSeconds: 5,
    withinSeconds: 300,
  },
};

/** The plans of a device that runs `product`: those of its host file, and the built-in one of Steward itself. */
export function plansOf(product: string, plans: ApplyPlans): ApplyPlans {
  return { ...plans, binary: plans.binary ?? (product === "steward" ? ownBinary : null) };
}

/** The members `update.rules` and `update.binary` of the host file; undefined: absent. Throws what `refuse` makes. */
export function checkedPlans(plans: { rules: unknown; binary: unknown }, refuse: Refuse): ApplyPlans {
  return {
    rules: plans.rules === undefined ? null : checkedPlan("update.rules", plans.rules, refuse),
    binary: plans.binary === undefined ? null : checkedPlan("update.binary", plans.binary, refuse),
  };
}

/** The programs of the host that the plans name, each once. Programs of a release are signed. */
export function hostPrograms(plans: ApplyPlans): string[] {
  const commands = [plans.rules, plans.binary].flatMap((plan) =>
    plan === null ? [] : [plan.activate, plan.selfTest, plan.health.command],
  );
  const programs = commands.flatMap((command) => command?.[0] ?? []);
  return [...new Set(programs.filter((program) => !program.startsWith(releasePlace)))];
}

function checkedPlan(name: string, plan: unknown, refuse: Refuse): ApplyPlan {
  const members = checkedMembers(name, plan, ["unit", "activate", "self_test", "health"], refuse);
  const { unit, activate, self_test, health } = members;
  const checked: ApplyPlan = {
    unit: unit === undefined ? null : checkedUnit(`${name}.unit`, unit, refuse),
    activate: checkedCommand(`${name}.activate`, activate, refuse),
    selfTest: checkedCommand(`${name}.self_test`, self_test, refuse),
    health: checkedHealth(`${name}.health`, health, refuse),
  };
  if (name === "update.binary" && checked.unit === null && checked.activate === null)
    throw refuse(
      "has an update.binary with neither unit nor activate, so that nothing would start the new release",
    );
  const { http, command } = checked.health;
  if (checked.unit === null && http.length === 0 && command === null)
    throw refuse(`has an ${name} without a health check: add a unit, health.http or health.command`);
  return checked;
}

function checkedUnit(name: string, unit: unknown, refuse: Refuse): string {
  if (typeof unit === "string" && serviceName.test(unit)) return unit;
  throw refuse(
    `has ${JSON.stringify(unit)} as ${name}: it must be the name of a service such as pump.service`,
  );
}

/** Words of a command, more than a person writes. */
const mostWords = 32;

/** Characters of a word. */
const longestWord = 1_024;

function checkedCommand(name: string, command: unknown, refuse: Refuse): string[] | null {
  if (command === undefined) return null;
  const wanted = `${name} must be a list of a program and up to ${mostWords - 1} arguments`;
  if (!Array.isArray(command) || command.length === 0 || command.length > mostWords) throw refuse(wanted);
  const words = command.map((word: unknown) => {
    if (typeof word === "string" && word.length <= longestWord && !word.includes("\0")) return word;
    throw refuse(`${wanted}, each a text of up to ${longestWord} characters`);
  });
  const [program = ""] = words;
  if (isProgram(program)) return words;
  throw refuse(
    `has ${JSON.stringify(program)} as the program of ${name}: it must be an absolute path, or a path below ${releasePlace}/`,
  );
}

/** A path below the release, or an absolute path without `..`. */
function isProgram(program: string): boolean {
  const path = program.startsWith(`${releasePlace}/`) ? program.slice(releasePlace.length) : program;
  return isAbsolute(path) && path !== "/" && normalize(path) === path && !path.includes(releasePlace);
}

/** HTTP requests of one health check, made at once. */
const mostHttpChecks = 8;

function checkedHealth(name: string, health: unknown = {}, refuse: Refuse): HealthPlan {
  const known = ["http", "command", "successes", "interval", "within"] as const;
  const members = checkedMembers(name, health, known, refuse);
  const { http = [], command, successes = 6, interval = "5s", within = "5m" } = members;
  if (!Array.isArray(http) || http.length > mostHttpChecks)
    throw refuse(`${name}.http must be a list of up to ${mostHttpChecks} checks`);
  if (!isCount(successes, 1, 100)) throw refuse(`${name}.successes must be a number from 1 to 100`);
  const intervalSeconds = durationSecondsOrNaN(interval);
  if (!(intervalSeconds >= 0.1 && intervalSeconds <= 60))
    throw refuse(`${name}.interval must be a duration from 100ms to 1m, such as 5s`);
  const withinSeconds = durationSecondsOrNaN(within);
  if (!(withinSeconds > 0 && withinSeconds <= 3_600))
    throw refuse(`${name}.within must be a duration of up to 60m, such as 5m`);
  if (withinSeconds < successes * intervalSeconds)
    throw refuse(
      `${name}.within must be long enough for ${successes} answers, one every ${JSON.stringify(interval)}`,
    );
  return {
    http: http.map((check: unknown, index) => checkedHttp(`${name}.http[${index}]`, check, refuse)),
    command: checkedCommand(`${name}.command`, command, refuse),
    successes,
    intervalSeconds,
    withinSeconds,
  };
}

function checkedHttp(name: string, check: unknown, refuse: Refuse): HttpCheck {
  const members = checkedMembers(name, check, ["url", "status", "version_member"], refuse);
  const { url, status = 200, version_member = null } = members;
  if (!isCount(status, 200, 599)) throw refuse(`${name}.status must be a number from 200 to 599`);
  const isMember = typeof version_member === "string" && /^[\x20-\x7e]{1,64}$/.test(version_member);
  if (version_member !== null && !isMember)
    throw refuse(`${name}.version_member must be the name of a member of the JSON answer`);
  return { url: checkedUrl(name, url, refuse), status, versionMember: isMember ? version_member : null };
}

/** A literal address: a name could be resolved to any other host. */
function checkedUrl(name: string, url: unknown, refuse: Refuse): string {
  const parsed = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  const isLoopback = /^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed?.hostname ?? "");
  const isPlain = parsed?.protocol === "http:" && parsed.username === "" && parsed.password === "";
  if (parsed && isPlain && isLoopback && parsed.hash === "") return parsed.href;
  throw refuse(
    `has ${JSON.stringify(url)} as ${name}.url: it must be an http: address on the loopback interface, such as http://127.0.0.1:9000/health`,
  );
}

function isCount(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
}

/** The members of an object. Throws if it has others. */
function checkedMembers<Name extends string>(
  name: string,
  value: unknown,
  known: readonly Name[],
  refuse: Refuse,
): Partial<Record<Name, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refuse(`${name} must be an object`);
  const members: Record<string, unknown> = { ...value };
  const unknown = Object.keys(members).find((member) => !known.some((one) => one === member));
  if (unknown !== undefined)
    throw refuse(`has a member ${JSON.stringify(`${name}.${unknown}`)} that is not known`);
  const given: Partial<Record<Name, unknown>> = {};
  for (const member of known) if (Object.hasOwn(members, member)) given[member] = members[member];
  return given;
}
