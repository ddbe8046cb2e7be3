import { isOfStorage, StewardError } from "../../contract/errors.ts";
import { type OperationId, operationOf } from "../../contract/operations.ts";
import { every } from "../../host/linux/timers.ts";
import { createLastingRequests } from "../../http/wire/lasting-requests.ts";
import type { EventFacts } from "../../journal/events/event.ts";
import { makeDirectory } from "../../store/files/durable-file.ts";
import { takeAgentLock } from "../../store/files/lock.ts";
import { builtAt } from "../../system/version.ts";
import type { AgentConfig } from "./config.ts";
import { type ListenContext, type LiveDecisions, listen } from "./listeners/listen.ts";
import { provisionDevice } from "./provisioning.ts";
import { createRescue, isRepaired } from "./rescue.ts";
import { hostOf, httpsOf, localOf } from "./wire-host.ts";
import { openRooms, type Rooms } from "./wiring.ts";

export interface Agent {
  mode: "serving" | "rescue";
  /** The addresses on the device itself at which it listens now. */
  addresses(): readonly string[];
  /** Settles when a rescue has found the state readable again, so that the agent can start over. */
  repaired: Promise<void>;
  /** Settles when a factory reset or a backup was asked for, which the next agent of this process carries out. */
  reset: Rooms["resetRequested"];
  /** The state of the clock and the needs of the device, in a few words each, for `systemctl status`. */
  describe(): readonly string[];
  /** Settles when the state can be written again, but not by this process: systemd gave it a view of its own. */
  outdated: Promise<void>;
  /** Settles when the unix socket is gone, and this process cannot make it again. */
  socketLost: Promise<void>;
  /** Applies the present decisions of the host file; connections stay. */
  reload(decisions: LiveDecisions): Promise<void>;
  /** Records an event; in rescue there is no place for it. */
  record(event: EventFacts): void;
  /** Resolves after requests in flight have finished and the state is on the disk. */
  stop(): Promise<void>;
}

/** Seconds between two checks if the state was repaired. */
const repairPollSeconds = 2;

/** Starts the agent under its state's lock, released when it stops; in rescue if the state is damaged or unreachable. */
export async function startAgent(config: AgentConfig): Promise<Agent> {
  await makeDirectory(config.runDirectory);
  try {
    const host = hostOf(config);
    const context = { host, https: httpsOf(config, host), local: localOf(config, host) };
    await makeDirectory(config.stateDirectory);
    const lock = await takeAgentLock(config.stateDirectory, host.files.tryLock);
    return await startServing(config, context, await openRooms(config, host, lock, context));
  } catch (error) {
    const isDamaged = error instanceof StewardError && error.code === "state_damaged";
    if (isDamaged || isOfStorage(error)) return startRescue(config, error);
    throw error;
  }
}

async function startServing(config: AgentConfig, context: ListenContext, rooms: Rooms): Promise<Agent> {
  let isStopping = false;
  const admit = (id: OperationId, isLocal: boolean): void => {
    if (isStopping) throw stopping();
    if (isLocal || operationOf(id).beforeSetup || rooms.accounts.hasAdministrator()) return;
    throw new StewardError(
      "setup_required",
      rooms.setupToken.withholding() ??
        "This device has no administrator yet. Create the first one with POST /api/setup or, on the device, with `steward user add NAME --role admin`.",
    );
  };
  try {
    await provisionDevice(config, rooms);
    const lasting = createLastingRequests();
    const { addresses, reload, stop } = await listen(config, context, { ...rooms, lasting, admit });
    rooms.start();
    return {
      mode: "serving",
      addresses,
      reload,
      describe: rooms.describe,
      record: (event) => void rooms.events.record(event),
      repaired: new Promise(() => undefined),
      reset: rooms.resetRequested,
      socketLost: context.local.socketLost,
      outdated: new Promise((resolve) => {
        rooms.disk.observe(() => {
          if (rooms.disk.isViewStale()) resolve();
        });
      }),
      stop: async () => {
        isStopping = true;
        lasting.endStreams(stopping());
        await stop();
        await rooms.close();
      },
    };
  } catch (error) {
    await rooms.close();
    throw error;
  }
}

function stopping(): StewardError {
  return new StewardError("shutting_down", "The agent is stopping. Try again in a few seconds.");
}

/** Serves version, health and the socket. The state is not locked, so that it can be repaired. */
async function startRescue(config: AgentConfig, damage: StewardError): Promise<Agent> {
  config.log("error", "the state cannot be used: in rescue", { detail: damage.message });
  // The clock is only measured: the state says what set it before, and by how much.
  const host = hostOf({ ...config, maySteerClock: false });
  const rescue = createRescue(config, host, damage);
  const built = () => builtAt(config.build);
  const application = { ...rescue, lasting: createLastingRequests(), expiryNow: built, floor: built };
  const context = { host, https: httpsOf(config, host), local: localOf(config, host) };
  const { addresses, reload, stop } = await listen(config, context, application);
  let stopChecks = (): void => undefined;
  const repaired = new Promise<void>((resolve) => {
    const check = async (): Promise<void> => {
      if (await isRepaired(config, damage).catch(() => false)) resolve();
    };
    stopChecks = every(repairPollSeconds, () => void check(), host.time.timers);
  });
  return {
    mode: "rescue",
    addresses,
    reload,
    describe: () => [],
    record: () => undefined,
    repaired,
    reset: new Promise(() => undefined),
    socketLost: context.local.socketLost,
    outdated: new Promise(() => undefined),
    stop: async () => {
      stopChecks();
      await stop();
      rescue.close();
    },
  };
}
