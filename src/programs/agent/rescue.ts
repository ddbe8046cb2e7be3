import { readdir } from "node:fs/promises";
import type { Clock } from "../../clock/loop/clock.ts";
import { clockRecordKind } from "../../clock/trust/clock-record.ts";
import { isOfStorage, StewardError } from "../../contract/errors.ts";
import { type OperationId, operationIds, operationOf } from "../../contract/operations.ts";
import type { Health, ProblemClock } from "../../contract/types.ts";
import { readIdentity } from "../../host/linux/identity.ts";
import { createUptime } from "../../host/linux/uptime.ts";
import type { Authenticate } from "../../http/authenticate.ts";
import type { Handlers } from "../../http/call.ts";
import { createDispatch, type Dispatch } from "../../http/dispatch.ts";
import type { EventSink } from "../../journal/events/event.ts";
import { createLoggedEvents } from "../../journal/events/logged-events.ts";
import { createStateTools } from "../../store/documents/inspection.ts";
import { createMemoryDocument } from "../../store/documents/memory-document.ts";
import { makeDirectory } from "../../store/files/durable-file.ts";
import { readHostFigures } from "../../system/facts.ts";
import { rescueStatus } from "../../system/status.ts";
import { builtAt, fullVersion, publicVersion } from "../../system/version.ts";
import type { RoomsConfig } from "./config.ts";
import { defaultSettings, documentKinds } from "./documents.ts";
import { knownDocuments } from "./state-findings.ts";
import { greetingOf } from "./wire-answers.ts";
import { openHostClock } from "./wire-clock.ts";

/** What is left of the agent when its state is damaged: version, health, how the clock is, and the socket. */
export interface Rescue {
  dispatch: Dispatch;
  authenticate: Authenticate;
  events: EventSink;
  admit: (id: OperationId) => void;
  describeClock: () => ProblemClock;
  deviceId: string;
  /** Writes the events that were only counted. */
  close: () => void;
}

export function createRescue(config: RoomsConfig, damage: StewardError): Rescue {
  const events = createLoggedEvents(config.log);
  const refuse = (): never => {
    throw new StewardError("state_damaged", `The agent is in rescue. ${damage.message}`);
  };
  return {
    events,
    dispatch: createDispatch(
      { ...rescueHandlers(config, damage, refuse), ...clockHandlers(config, damage) },
      events,
    ),
    // There are no accounts to know anyone by; the socket is known by who may open it.
    authenticate: async (_ctx, { isLocal }) => (isLocal ? { kind: "local-root" } : { kind: "anonymous" }),
    admit: (id) => {
      if (!operationOf(id).inRescue) refuse();
    },
    describeClock: unobserved,
    deviceId: readIdentity().deviceId,
    close: events.close,
  };
}

const unobserved = (): ProblemClock => ({ server_time: new Date().toISOString(), synchronised: null });

function rescueHandlers(config: RoomsConfig, damage: StewardError, refuse: () => never): Handlers {
  const host = readIdentity();
  const health = (isDetailed: boolean): Health => {
    const code = isOfStorage(damage) ? ("state_unreachable" as const) : ("state_damaged" as const);
    const checks = [{ name: "state", status: "rescue" as const, code, detail: damage.message, facts: {} }];
    return isDetailed ? { status: "rescue", checks } : { status: "rescue" };
  };
  const refusing = Object.fromEntries(operationIds.map((id) => [id, refuse])) as unknown as Handlers;
  return {
    ...refusing,
    getVersion: ({ actor }) =>
      actor.kind === "anonymous"
        ? publicVersion(config.build)
        : fullVersion({
            build: config.build,
            node: config.nodeVersion,
            host,
            uptime: config.uptime ?? createUptime(),
            rules: null,
          }),
    getHealth: ({ actor }) => health(actor.kind !== "anonymous"),
    greetConsole: () =>
      greetingOf({
        ...{ config, host, settings: defaultSettings(config.initialSettings), clock: unobserved() },
        ...{ isSetUp: true, isInRescue: true },
      }),
  };
}

/** Only looked at: what put it right before, and how far, stands in the state. */
function clockHandlers(
  config: RoomsConfig,
  damage: StewardError,
): Pick<Handlers, "getTimeSync" | "getStatus"> {
  const clock = unkeptClock(config);
  const message =
    "The agent is in rescue, and nobody looks after the clock until its state is repaired: `steward state list` says what is wrong.";
  const read = () => ({ ...clock.status(), message });
  const getStatus = async () =>
    rescueStatus({
      deviceName: readIdentity().hostname,
      version: publicVersion(config.build).version,
      clock: read(),
      host: await readHostFigures(config.stateDirectory, config.uptime ?? createUptime()),
      damage: damage.message,
    });
  return { getTimeSync: read, getStatus };
}

function unkeptClock(config: RoomsConfig): Clock {
  const { time } = defaultSettings(config.initialSettings);
  const openClock = config.openClock ?? openHostClock;
  return openClock({
    ...config,
    maySteerClock: false,
    settings: () => time,
    record: createMemoryDocument(clockRecordKind.name, clockRecordKind.defaults),
    bootId: readIdentity().bootId,
    buildDate: builtAt(config.build),
    uptime: config.uptime ?? createUptime(),
  });
}

/** Whether every document that must not be made up can be read again, or the disk be reached. Takes no lock. */
export async function isRepaired(
  { stateDirectory, initialSettings }: RoomsConfig,
  damage: StewardError,
): Promise<boolean> {
  if (isOfStorage(damage)) {
    await makeDirectory(stateDirectory);
    await readdir(stateDirectory);
    return true;
  }
  const kinds = documentKinds(initialSettings).filter((kind) => kind.onLoss === "rescue");
  const known = await knownDocuments(stateDirectory);
  const entries = await createStateTools(stateDirectory, kinds).list();
  return entries.every(
    ({ name, condition }) => condition === "ok" || (condition === "absent" && !known.has(name)),
  );
}
