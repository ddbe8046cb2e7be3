import { updateKinds } from "../contract/update-kinds.ts";
import type { Release } from "./release.ts";

/**
 * A device's report about its releases in the request header `Steward-Report`: a List of Tokens (RFC 8941 §3.1), so
 * that no log escapes a character of it.
 *
 *     steward/0.1.0;v=1, product/demo, rules/base/1.2.0;state=good;wave=12.345;device=d01f3a2c4b5d6
 */
export interface RolloutReport {
  readonly agentVersion: string;
  readonly product: string;
  readonly releases: readonly ReportedRelease[];
}

export interface ReportedRelease extends Pick<Release, "kind" | "name" | "version"> {
  readonly state: ReportedState;
  /** The device's place in the waves of this release: [0, 100), three decimals. */
  readonly wavePercent: number;
  /** The same place to 48 bits in hex. It differs for each release, so it counts devices and identifies none. */
  readonly device: string;
}

/** `offered`: known only; `staged`: here; `trial`: until it proves healthy; `good`: in force; else the journal's outcomes. */
export const reportedStates = [
  "offered",
  "staged",
  "trial",
  "good",
  "failed",
  "deferred",
  "aborted",
  "rolled_back",
  "refused",
] as const;
export type ReportedState = (typeof reportedStates)[number];

/** The version of this header's form. A device of a later form is not understood, and counted as such. */
const formVersion = 1;

/** Characters: six releases with the longest names and versions have fewer. */
export const longestReport = 2_048;

/** List members that are read. */
const mostMembers = 16;

/** The header of this device. Releases without a valid name are left out: a header must never break a request. */
export function reportText({ agentVersion, product, releases }: RolloutReport): string {
  const members = releases.map(
    ({ kind, name, version, state, wavePercent, device }) =>
      `${kind}/${name}/${version};state=${state};wave=${wavePercent.toFixed(3)};device=d${device}`,
  );
  const all = [`steward/${agentVersion};v=${formVersion}`, `product/${product}`, ...members];
  return all.filter((member) => /^[a-z][\w.+/=;-]*$/.test(member)).join(", ");
}

/** A report as a server received it; null: it is not one. A server gets any text, so this is read, not trusted. */
export function readReport(text: string): RolloutReport | null {
  if (text.length > longestReport) return null;
  const members = text.split(",", mostMembers + 1).map((one) => one.trim());
  const [head = "", product = "", ...others] = members;
  const agentVersion = /^steward\/([\w.+-]{1,64});v=1$/.exec(head)?.[1];
  const productName = /^product\/([a-z0-9][a-z0-9._-]{0,63})$/.exec(product)?.[1];
  if (agentVersion === undefined || productName === undefined || members.length > mostMembers) return null;
  const releases = others.flatMap((member) => readMember(member) ?? []);
  return { agentVersion, product: productName, releases };
}

/** null: its form is unknown to this program. */
function readMember(member: string): ReportedRelease | null {
  const [path = "", ...parameters] = member.split(";");
  const [, kindText, name = "", version = ""] =
    /^([a-z]{1,16})\/([a-z0-9][a-z0-9._-]{0,63})\/([\w.+-]{1,64})$/.exec(path) ?? [];
  const values = new Map(parameters.map((one) => splitOnce(one.trim())));
  const kind = updateKinds.find((one) => one === kindText);
  const state = reportedStates.find((one) => one === values.get("state"));
  const device = /^d([0-9a-f]{12})$/.exec(values.get("device") ?? "")?.[1];
  const wave = /^\d{1,2}(\.\d{1,3})?$/.exec(values.get("wave") ?? "")?.[0];
  if (!kind || !state || !device || wave === undefined) return null;
  return { kind, name, version, state, wavePercent: Number(wave), device };
}

function splitOnce(parameter: string): [string, string] {
  const [name = "", ...value] = parameter.split("=");
  return [name, value.join("=")];
}
