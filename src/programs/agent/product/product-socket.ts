import { createServer } from "node:http";
import type { Socket } from "node:net";
import { StewardError } from "../../../contract/errors.ts";
import type { Peer, ReadPeer, UnitOf } from "../../../host/ports.ts";
import type { RequestListener } from "../../../http/wire/connections.ts";
import { oneAtATime } from "../../../store/one-at-a-time.ts";
import { answerLines, type Conversation, refuse } from "./product-lines.ts";

/** Connections of the product's units in all, of which each has its share. */
const mostConnections = 16;

/** Connections of a user, no unit of whom is known, that wait to be judged or were refused within the last second. */
const mostOfStranger = 2;

/** Connections that wait to be judged: for each the root helper reads two files. */
const mostWaiting = 32;

/** Milliseconds without a byte after which a connection of HTTP ends. */
const silentMilliseconds = 10_000;

export interface ProductSocket extends Conversation {
  /** The units that may report, as systemd runs them. */
  readonly units: readonly string[];
  /** RFC 7662. */
  readonly introspect: RequestListener;
  readonly readPeer: ReadPeer;
  readonly unitOf: UnitOf;
}

/** The product's socket: hears its units, line by line, and refuses others in one (docs/design/product.md, rule 11). */
export function createProductSocket(options: ProductSocket) {
  const { timers, introspect } = options;
  const http = createServer({ maxHeaderSize: 4_096 }, introspect);
  http.timeout = silentMilliseconds;
  const { admit, connections } = createAdmission(options);
  const hear = (socket: Socket, unit: string): void => {
    socket.once("data", (first: Buffer) => {
      socket.pause().unshift(first);
      // A line begins with a brace, a request with POST.
      if (first[0] === 0x50) http.emit("connection", socket);
      else answerLines(socket, unit, options);
      socket.resume();
    });
  };
  return {
    take: (socket: Socket): void => {
      socket.on("error", () => socket.destroy());
      admit(socket).then(
        (unit) => hear(socket, unit),
        (error) => refuse(socket, timers, error),
      );
    },
    /** Ends all connections: their peers come back. */
    stop: (): void => {
      for (const socket of connections.keys()) socket.destroy();
    },
  };
}

/** `unit` is absent while it is judged, and null where it was refused. */
type Connection = { readonly uid: number; readonly unit?: string | null };

/** Judges who is at the other end. A connection that was refused counts for a second more. */
function createAdmission({ units, readPeer, unitOf, timers }: ProductSocket) {
  const connections = new Map<Socket, Connection>();
  const inTurn = oneAtATime();
  const count = (is: (one: Connection) => unknown) => [...connections.values()].filter(is).length;
  const judge = async (socket: Socket, peer: Peer): Promise<string> => {
    const unit = await inTurn(async () => (socket.destroyed ? "" : unitOf(peer))).catch((error) => {
      if (error instanceof StewardError && error.code === "not_found") return "";
      throw error;
    });
    if (!units.includes(unit)) throw new StewardError("forbidden", strangersText(peer, unit));
    const share = Math.floor(mostConnections / units.length);
    if (count((one) => one.unit === unit) < share) return unit;
    throw new StewardError("rate_limited", `${unit} has ${share} connections open, its share. Close one.`);
  };
  const admit = async (socket: Socket): Promise<string> => {
    const peer = readPeer(socket);
    if (peer === null) throw new StewardError("not_ready", unknownPeer);
    const { uid } = peer;
    const isKnown = count((one) => one.uid === uid && one.unit) > 0;
    const others = count((one) => one.uid === uid && !one.unit);
    const waiting = count(({ unit }) => unit === undefined);
    if (others >= (isKnown ? mostConnections : mostOfStranger) || waiting >= mostWaiting)
      throw new StewardError("rate_limited", "Too many processes ask at once. Try again in a second.");
    connections.set(socket, { uid });
    try {
      const unit = await judge(socket, peer);
      connections.set(socket, { uid, unit });
      socket.once("close", () => connections.delete(socket));
      return unit;
    } catch (error) {
      connections.set(socket, { uid, unit: null });
      timers.after(1, () => connections.delete(socket));
      throw error;
    }
  };
  return { admit, connections };
}

const unknownPeer =
  "Steward cannot see which process this is: its addon clock-steering.node is missing. Install it again.";

function strangersText({ pid }: Peer, unit: string): string {
  const what = unit === "" ? "no unit of systemd" : `the unit ${unit}`;
  return `The process ${pid} belongs to ${what}, and only units that product.units of the host file names may report. Run it in one, or name its unit there and restart Steward.`;
}
