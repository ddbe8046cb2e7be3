import type { Socket } from "node:net";
import { StewardError } from "../../../contract/errors.ts";
import type { Peer, ReadPeer, Timers, UnitOf } from "../../../host/ports.ts";
import { oneAtATime } from "../../../store/one-at-a-time.ts";

/** Connections of the product's units in all; each unit has its share of them. */
const mostConnections = 16;

/** Connections of a user, no unit of whom is known, that wait to be judged or were refused within the last second. */
const mostOfStranger = 2;

/** Connections that wait to be judged: for each the root helper reads two files. */
const mostWaiting = 32;

export interface UnitsAtSocket {
  /** The units that may report, as systemd runs them. */
  readonly units: readonly string[];
  readonly readPeer: ReadPeer;
  readonly unitOf: UnitOf;
  readonly timers: Timers;
}

/** The user of a connection, and its unit once it is admitted. One that was refused counts for a second. */
interface Connection {
  readonly uid: number;
  readonly state: "waiting" | "refused" | "open";
  readonly unit?: string;
}

/** Judges who is at the other end of a connection (docs/design/product.md, rule 11). */
export function createAdmission({ units, readPeer, unitOf, timers }: UnitsAtSocket) {
  const connections = new Map<Socket, Connection>();
  const inTurn = oneAtATime();
  const count = (is: (one: Connection) => boolean): number => [...connections.values()].filter(is).length;
  const requirePlace = (uid: number): void => {
    const most =
      count((one) => one.uid === uid && one.state === "open") > 0 ? mostConnections : mostOfStranger;
    const own = count((one) => one.uid === uid && one.state !== "open");
    if (own >= most || count(({ state }) => state === "waiting") >= mostWaiting)
      throw crowd("Too many processes ask at once. Try again in a second.");
  };
  const requireShare = (unit: string): void => {
    const share = Math.floor(mostConnections / units.length);
    if (count((one) => one.unit === unit) >= share)
      throw crowd(`${unit} has ${share} connections open, which is its share. Close one.`);
  };
  return {
    /** The unit that has connected. Throws where it may not report. */
    admit: async (socket: Socket): Promise<string> => {
      const peer = readPeer(socket);
      if (peer === null) throw new StewardError("not_ready", unknownPeer);
      const { uid } = peer;
      requirePlace(uid);
      connections.set(socket, { uid, state: "waiting" });
      try {
        const unit = await inTurn(() => (socket.destroyed ? Promise.reject(gone) : unitOf(peer)));
        if (!units.includes(unit)) throw stranger(peer, `belongs to the unit ${unit}`);
        requireShare(unit);
        if (socket.destroyed) throw gone;
        connections.set(socket, { uid, state: "open", unit });
        socket.once("close", () => connections.delete(socket));
        return unit;
      } catch (error) {
        connections.set(socket, { uid, state: "refused" });
        timers.after(1, () => connections.delete(socket));
        const isOfNone = error instanceof StewardError && error.code === "not_found";
        throw isOfNone ? stranger(peer, "belongs to no unit of systemd") : error;
      }
    },
    /** Ends all connections. */
    close: (): void => {
      for (const socket of connections.keys()) socket.destroy();
    },
  };
}

const gone = new Error("The peer has left.");

const unknownPeer =
  "Steward cannot see which process this is: its addon clock-steering.node is missing. Install it again.";

function stranger({ pid }: Peer, what: string): StewardError {
  return new StewardError(
    "forbidden",
    `The process ${pid} ${what}, and only units that product.units of the host file names may report. Run it in one, or name its unit there and restart Steward.`,
  );
}

function crowd(detail: string): StewardError {
  return new StewardError("rate_limited", detail);
}
