import type { OnReadOpts, Socket } from "node:net";
import { Duplex } from "node:stream";

/**
 * Bytes read at a time. With a quarter of it each byte took a third more processor time, as the kernel opened the window
 * more often, and V8's optimiser took more memory for the many turns of the loop than the smaller buffer saved.
 */
const bufferBytes = 1_048_576;

/**
 * A connection that is read into one buffer again and again. Node would allocate each piece, and again when it parses it,
 * and freed pieces of 32 MiB and more would pile up in V8 in a long transfer.
 */
export interface ReusedBuffer {
  /** The option of the new socket. */
  readonly onread: OnReadOpts;
  /** The stream that replaces the socket until `takeOver`. */
  attach(socket: Socket): Duplex;
  /** From now on only `next` gets pieces, and they are read when it is called. */
  takeOver(): void;
  /** A piece that is valid until the next call; null: the connection has ended. */
  next(): Promise<Uint8Array | null>;
}

export function createReusedBuffer(): ReusedBuffer {
  let [socket, stream]: [Socket | null, Duplex | null] = [null, null];
  let isTakenOver = false;
  let isOver = false;
  let failure: Error | undefined;
  let wake: (piece: Uint8Array | null) => void = () => undefined;
  const end = (error?: Error): void => {
    isOver = true;
    failure ??= error;
    wake(null);
  };
  return {
    onread: {
      buffer: Buffer.allocUnsafeSlow(bufferBytes),
      callback: (bytes, buffer) => {
        const piece = buffer.subarray(0, bytes);
        if (isTakenOver) wake(piece);
        else stream?.push(piece);
        // The next read would overwrite data that the stream still holds; its `read` resumes.
        return !isTakenOver && stream?.readableLength === 0;
      },
    },
    attach: (attached) => {
      socket = attached;
      stream = standIn(attached, () => {
        if (!isTakenOver) attached.resume();
      });
      attached.on("error", end);
      attached.on("end", () => end());
      attached.on("close", () => end());
      return stream;
    },
    takeOver: () => {
      isTakenOver = true;
    },
    next: async () => {
      const piece = await new Promise<Uint8Array | null>((resolve) => {
        wake = resolve;
        if (isOver) resolve(null);
        else socket?.resume();
      });
      if (piece === null && failure !== undefined) throw failure;
      return piece;
    },
  };
}

function standIn(socket: Socket, goOn: () => void): Duplex {
  const stream = new Duplex({
    read: goOn,
    write: (bytes, encoding, done) => void socket.write(bytes, encoding, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  socket.on("error", (error) => stream.destroy(error));
  socket.on("end", () => stream.push(null));
  socket.on("close", () => stream.destroy());
  return stream;
}
