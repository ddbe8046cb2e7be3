import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Need, Status } from "../../contract/types.ts";
import { AgentAbsent } from "../client/agent-connection.ts";
import { createHttpClient } from "../client/client.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { type Ground, outputOf, textOf, unitOf } from "./ground.ts";

const { ok, failing, attention, unseen } = findingsOf("agent");

const unit = "steward.service";
const lastLines = `journalctl -u ${unit} -n 20 --no-pager`;

/** Milliseconds for an answer over the socket. */
const patienceMilliseconds = 5_000;

/** The unit of the agent, its answer over the socket, what it says of itself, and the other units of Steward. */
export async function lookAtAgent(ground: Ground): Promise<Finding[]> {
  const [state, failed] = await Promise.all([unitOf(ground, unit), failedUnits(ground)]);
  const client = createHttpClient(ground.places, { timeoutMilliseconds: patienceMilliseconds });
  const answer: Status | Error = await client
    .call("getStatus", {})
    .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
  const findings = answer instanceof Error ? await silent(ground, answer, state) : spoken(answer);
  const enabling = isOffAtBoot(state)
    ? [
        attention({
          code: "not_enabled",
          what: `${unit} is ${state?.UnitFileState}.`,
          meaning: "It is not started at the next boot.",
          command: `systemctl ${state?.UnitFileState === "masked" ? "unmask" : "enable"} ${unit}`,
        }),
      ]
    : [];
  return [...findings, ...enabling, ...failed];
}

type Unit = Awaited<ReturnType<typeof unitOf>>;

function isOffAtBoot(state: Unit): boolean {
  return state?.UnitFileState === "disabled" || state?.UnitFileState === "masked";
}

/** Of these the doctor sees more. */
const seenElsewhere = ["rescue", "state_document", "setup_required", "two_factor_key"];

/** The agent answers: what it says of itself is what needs a person. */
export function spoken({ needs, version, clock }: Pick<Status, "needs" | "version" | "clock">): Finding[] {
  const findings = needs
    .filter(({ code }) => !seenElsewhere.includes(code))
    .map((need) => (need.code === "clock" ? clockFinding(need, clock) : needFinding(need)));
  const answers = ok({ code: "answers", what: `It answers over its socket; version ${version}.` });
  return [answers, ...findings];
}

function needFinding({ code, level, detail, remedy }: Need): Finding {
  // The doctor has tried the parts itself. On a busy device the agent's trial ends too late, which is no reason to go back.
  if (code === "program") return attention({ code, what: detail });
  return (level === "failing" ? failing : attention)({ code, what: detail, command: remedy?.line ?? null });
}

/** Where no server confirms the time, a person can, who has a watch. */
function clockFinding({ detail, remedy }: Need, { trust, mode }: Status["clock"]): Finding {
  const isUnknown = trust === "none" && mode !== "delegate";
  return findingsOf("clock").attention({
    code: "not_trusted",
    what: detail,
    meaning: isUnknown
      ? "Without a network, type the present time in UTC, from a watch, in the place of TIME: such as 2026-11-22T14:03:00Z."
      : "",
    command: isUnknown ? "steward time set --yes TIME" : (remedy?.line ?? null),
  });
}

/** The agent does not answer: why, as far as systemd and the socket tell. */
async function silent(ground: Ground, error: Error, state: Unit): Promise<Finding[]> {
  const { socketPath } = ground.places;
  if (!(error instanceof AgentAbsent) && /may not open/.test(error.message))
    return [unseen({ code: "socket_closed", what: error.message })];
  if (state === null)
    return [
      failing({
        code: "not_running",
        what: `No agent answers at ${socketPath}, and systemd does not answer either.`,
      }),
    ];
  if (state.LoadState === "not-found") {
    const what = `There is no ${unit} on this device.`;
    return [failing({ code: "not_installed", what, command: "apt-get install --reinstall steward" })];
  }
  const found = `${unit} is ${state.ActiveState} (${state.SubState}), and no agent answers at ${socketPath}.`;
  if (state.LoadState === "masked")
    return [failing({ code: "masked", what: found, command: `systemctl unmask ${unit}` })];
  if (await isPortTaken(ground)) {
    return [
      failing({
        code: "port_taken",
        what: `${found} Another program listens at port 8470.`,
        meaning: "The agent cannot start beside it.",
        command: "ss -ltnp 'sport = :8470'",
      }),
    ];
  }
  if (state.ActiveState === "inactive")
    return [failing({ code: "not_running", what: found, command: `systemctl start ${unit}` })];
  if (state.ActiveState === "active") {
    return [
      failing({
        code: "no_answer",
        what: found,
        meaning: "It hangs, or its socket was removed.",
        command: `systemctl restart ${unit}`,
      }),
    ];
  }
  const meaning = `It was started again ${state.NRestarts ?? "0"} times; its last lines say why it ends.`;
  return [failing({ code: "does_not_start", what: found, meaning, command: lastLines })];
}

/** proc_net_tcp(5): state 0A is LISTEN. */
async function isPortTaken({ root }: Ground): Promise<boolean> {
  const port = (8470).toString(16).toUpperCase();
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => textOf(join(root, "/proc/self/net", name))));
  return tables.some((table) => new RegExp(`:${port} [0-9A-F]+:0000 0A `).test(table ?? ""));
}

/** The other units of Steward that have failed. */
async function failedUnits(ground: Ground): Promise<Finding[]> {
  const list = ["list-units", "--all", "--plain", "--no-legend", "--state=failed", "steward-*"];
  const names = ((await outputOf(ground, "systemctl", list)) ?? "")
    .split("\n")
    .flatMap((line) => /^(steward-\S+)/.exec(line)?.[1] ?? []);
  const underWay = existsSync(join(ground.places.releasesDirectory, "under-way"));
  return names.map((name) =>
    (underWay && name.startsWith("steward-guard") ? failing : attention)({
      code: "unit_failed",
      what: `${name} has failed.`,
      meaning: "Its last lines say why. It counts as failed until it is started again.",
      command: `journalctl -u ${name} -n 20 --no-pager; systemctl reset-failed ${name}`,
    }),
  );
}
