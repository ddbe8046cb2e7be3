import { createSocket, type RemoteInfo, type Socket } from "node:dgram";

/** The fields of a reply are those of RFC 5905 §7.3, written here without the code under test. */
export interface ReplyFields {
  leap: number;
  version: number;
  mode: number;
  stratum: number;
  /** log2 of seconds. */
  precision: number;
  rootDelaySeconds: number;
  rootDispersionSeconds: number;
  /** Four bytes as Latin-1 text. */
  refid: string;
  /** Uint8Array(8); the transmit field of the request unless said otherwise. */
  origin: Uint8Array;
  /** NTP timestamps: 32 bits of seconds and 32 of their fraction. */
  receive: bigint;
  transmit: bigint;
}

/** A responder gets this for each request. */
export interface Asked {
  readonly request: Buffer;
  readonly client: RemoteInfo;
  /** So many requests came before this one. */
  readonly index: number;
  /** A right reply with some fields otherwise; its times are those of this moment by this machine's clock. */
  reply: (fields?: Partial<ReplyFields>) => Buffer;
  /** Sends from the server's own port. */
  send: (packet: Uint8Array) => Promise<void>;
  /** Sends from another port of the same address. */
  sendFromElsewhere: (packet: Uint8Array) => Promise<void>;
}

export interface HostileServer {
  readonly address: string;
  readonly port: number;
  /** Ports that the requests came from, in their order. */
  readonly clientPorts: readonly number[];
  readonly requests: readonly Buffer[];
  close: () => Promise<void>;
}

/** A UDP server on loopback that answers as the test says. */
export async function startHostileServer(
  answer: (asked: Asked) => Promise<void> | void,
  address = "127.0.0.1",
): Promise<HostileServer> {
  const [socket, elsewhere] = await Promise.all([bind(address), bind(address)]);
  const clientPorts: number[] = [];
  const requests: Buffer[] = [];
  let failure: unknown;
  socket.on("message", (request, client) => {
    const index = requests.length;
    clientPorts.push(client.port);
    requests.push(request);
    const asked: Asked = {
      request,
      client,
      index,
      reply: (fields) => encode({ ...rightReply(request), ...fields }),
      send: (packet) => send(socket, packet, client),
      sendFromElsewhere: (packet) => send(elsewhere, packet, client),
    };
    Promise.resolve(answer(asked)).catch((error) => (failure = error));
  });
  return {
    address,
    port: socket.address().port,
    clientPorts,
    requests,
    close: async () => {
      await Promise.all([socket, elsewhere].map((one) => new Promise<void>((done) => one.close(done))));
      if (failure !== undefined) throw failure;
    },
  };
}

/** A time in seconds since 1970 as an NTP timestamp, the era left out. */
export function ntpTimestamp(seconds: number): bigint {
  const whole = Math.floor(seconds);
  const fraction = BigInt(Math.round((seconds - whole) * 2 ** 32));
  return BigInt.asUintN(64, (BigInt(whole + 2_208_988_800) << 32n) + fraction);
}

/** The packet that the fields make. */
export function encode(fields: ReplyFields): Buffer {
  const packet = Buffer.alloc(48);
  packet[0] = (fields.leap << 6) | (fields.version << 3) | fields.mode;
  packet[1] = fields.stratum;
  packet[2] = 6;
  packet.writeInt8(fields.precision, 3);
  packet.writeUInt32BE(fields.rootDelaySeconds * 65_536, 4);
  packet.writeUInt32BE(fields.rootDispersionSeconds * 65_536, 8);
  packet.write(fields.refid, 12, "latin1");
  packet.set(fields.origin, 24);
  packet.writeBigUInt64BE(fields.receive, 32);
  packet.writeBigUInt64BE(fields.transmit, 40);
  return packet;
}

/** The fields of a right reply, at this moment by this machine's clock. */
export function rightReply(request: Uint8Array): ReplyFields {
  const now = ntpTimestamp(Date.now() / 1_000);
  return {
    leap: 0,
    version: 4,
    mode: 4,
    stratum: 2,
    precision: -20,
    rootDelaySeconds: 0.015625,
    rootDispersionSeconds: 0.03125,
    refid: "\x0a\x01\x02\x03",
    origin: request.subarray(40, 48),
    receive: now,
    transmit: now,
  };
}

async function bind(address: string): Promise<Socket> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(0, address, resolve);
  });
  // A client that has gone makes no error here, as the socket is not connected.
  return socket;
}

function send(socket: Socket, packet: Uint8Array, { address, port }: RemoteInfo): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(packet, port, address, (error) => (error ? reject(error) : resolve()));
  });
}
