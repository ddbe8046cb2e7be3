import { readdir } from "node:fs/promises";
import type { Clock } from "../../clock/loop/clock.ts";
import { rescueSummary } from "../../clock/status/summary.ts";
import { clockRecordKind } from "../../clock/trust/clock-record.ts";
import { isOfStorage, StewardError } from "../../contract/errors.ts";
import { finding } from "../../contract/finding.ts";
import { type OperationId, operationIds, operationOf } from "../../contract/operations.ts";
import type { Finding, Health, ProblemClock } from "../../contract/types.ts";
import type { Host } from "../../host/host.ts";
import type { Authenticate } from "../../http/authenticate.ts";
import { authorise } from "../../http/authorise.ts";
import type { Handlers } from "../../http/call.ts";
import { createDispatch } from "../../http/dispatch.ts";
import { requireName } from "../../http/handlers/host.ts";
import { createLoggedEvents } from "../../journal/events/logged-events.ts";
import { createStateTools } from "../../store/documents/inspection.ts";
import { createMemoryDocument } from "../../store/documents/memory-document.ts";
import { capacityOf } from "../../store/files/disk.ts";
import { makeDirectory } from "../../store/files/durable-file.ts";
import { isReplacementDecided } from "../../store/files/replacement.ts";
import { isWipeRequested, requestWipe } from "../../store/files/wipe.ts";
import { createHostFigures } from "../../system/facts.ts";
import { createMachine } from "../../system/machine.ts";
import { rescueStatus } from "../../system/status.ts";
import { builtAt, fullVersion, publicVersion } from "../../system/version.ts";
import { openRestore } from "./backup/wire-restore.ts";
import { keyExchangeOf, type RoomsConfig } from "./config.ts";
import { defaultSettings, documentKinds, knownDocuments } from "./documents.ts";
import { greetingOf } from "./status/wire-status.ts";
import { openHostClock } from "./wire-clock.ts";

/** The parts of the agent that work while its state is damaged: version, health, the measured clock, and the socket. */
export function createRescue(config: RoomsConfig, host: Host, damage: StewardError) {
  const joined = { config, host, damage };
  const events = createLoggedEvents(config.log, host.time.timers);
  const refuse = (): never => {
    throw new StewardError("state_damaged", `The agent is in rescue. ${damage.message}`);
  };
  // There are no accounts; a caller of the socket is known by the right to open it.
  const authenticate: Authenticate = async (_ctx, { isLocal }) =>
    isLocal ? { kind: "local-root" } : { kind: "anonymous" };
  return {
    events,
    dispatch: createDispatch(
      { ...rescueHandlers(joined, refuse), ...clockHandlers(joined) },
      events,
      host.time.uptime,
    ),
    authenticate,
    admit: (id: OperationId): void => {
      if (!operationOf(id).inRescue) refuse();
    },
    describeClock: () => unobserved(host),
    // There is no account whose token could read the counts.
    answered: () => undefined,
    deviceId: host.identity.deviceId,
    deviceName: () => host.identity.hostname,
    // The settings cannot be read: the default.
    accent: () => "",
    /** Writes the events that were only counted. */
    close: events.close,
  };
}

const unobserved = ({ time }: Host): ProblemClock => ({
  server_time: new Date(time.wall()).toISOString(),
  synchronised: null,
});

interface Joined {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly damage: StewardError;
}

function rescueHandlers({ config, host, damage }: Joined, refuse: () => never): Handlers {
  const health = (isDetailed: boolean): Health => {
    const { code, detail, facts } = damageFinding(damage);
    const checks = [{ name: "state", status: "rescue" as const, code, detail, facts }];
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
            host: host.identity,
            uptime: host.time.uptime,
            rules: null,
            product: null,
            supportUntil: config.supportUntil,
          }),
    getHealth: ({ actor }) => health(actor.kind !== "anonymous"),
    factoryReset: async ({ body: { confirm } }) => {
      const device_name = host.identity.hostname;
      requireName(confirm, device_name);
      await requestWipe(config.stateDirectory);
      return { device_name };
    },
    // Nothing says whether there is an administrator.
    ...openRestore(unattended({ config, host }), ({ actor }) => authorise({ access: "local" }, actor, {}))
      .handlers,
    greetConsole: () =>
      greetingOf({
        config,
        host,
        settings: defaultSettings(config.initialSettings),
        clock: unobserved(host),
        floor: builtAt(config.build),
        isSetUp: true,
        isInRescue: true,
      }),
  };
}

/** The accounts cannot be read, and no release is watched; the state's next opening is what repairs it. */
function unattended({ config, host }: Pick<Joined, "config" | "host">) {
  const machine = createMachine({
    identity: host.identity,
    names: host.names,
    helper: host.helper,
    supportUntil: config.supportUntil,
    updates: () => ({ trial: null }),
    requestReset: () => requestWipe(config.stateDirectory),
    time: { isTrusted: () => false, now: () => new Date(host.time.wall()) },
    zoneChanged: () => undefined,
  });
  return { config, host, machine, accounts: { all: () => [] }, startAgain: () => undefined };
}

function damageFinding(damage: StewardError): Finding {
  const code = isOfStorage(damage) ? "state_unreachable" : "state_damaged";
  return finding(code, {}, damage.message);
}

/** The clock is only observed: the damaged state has the facts of its former correction. */
function clockHandlers({ config, host, damage }: Joined): Pick<Handlers, "getTimeSync" | "getStatus"> {
  const clock = unkeptClock(config, host);
  const { stateDirectory } = config;
  const readHostFigures = createHostFigures(host);
  const read = () => ({ ...clock.status(), summary: rescueSummary() });
  const getStatus = async () =>
    rescueStatus({
      deviceName: host.identity.hostname,
      version: publicVersion(config.build).version,
      clock: read(),
      host: await readHostFigures(stateDirectory, capacityOf(stateDirectory)),
      damage: damageFinding(damage),
    });
  return { getTimeSync: read, getStatus };
}

function unkeptClock(config: RoomsConfig, host: Host): Clock {
  const { time } = defaultSettings(config.initialSettings);
  const openClock = config.openClock ?? openHostClock;
  return openClock({
    host,
    keyExchange: keyExchangeOf(config),
    settings: () => time,
    record: createMemoryDocument(clockRecordKind.name, clockRecordKind.defaults),
    buildDate: builtAt(config.build),
  });
}

/** True if every document without defaults can be read again, and the disk be reached. Takes no lock. */
export async function isRepaired(
  { stateDirectory, initialSettings }: RoomsConfig,
  damage: StewardError,
): Promise<boolean> {
  if (isWipeRequested(stateDirectory) || isReplacementDecided(stateDirectory)) return true;
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
