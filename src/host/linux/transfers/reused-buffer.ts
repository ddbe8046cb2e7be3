import type { OnReadOpts, Socket } from "node:net";
import { Duplex } from "node:stream";

/** Bytes of the buffer, and of a piece of a plain body. A quarter of it took a third more processor time a byte. */
const bufferBytes = 1_048_576;

/** Bytes of one piece that is parsed: one-byte chunks take half a second a mebibyte. */
const parsedBytes = 16_384;

/** Most bytes of one turn where pieces are small: a read of TLS gives several records, which lie beside each other. */
const mostTurnBytes = 131_072;

/**
 * A connection that is read into one buffer again and again. Node would allocate each piece, and again when it parses it,
 * and freed pieces of 32 MiB and more would pile up in V8 in a long transfer. Pieces are parsed one a turn of the loop, so
 * that no server keeps timers and other connections waiting.
 */
export class ReusedBuffer {
  readonly #buffer = Buffer.allocUnsafeSlow(bufferBytes);
  readonly #onExcess: () => void;
  #socket: Socket | null = null;
  #stream: Duplex | null = null;
  /** Place of the next piece in the buffer. */
  #at = 0;
  #waiting: Uint8Array[] = [];
  #allowedBytes = 0;
  #isTakenOver = false;
  #isOver = false;
  #failure: Error | undefined;
  #wake: () => void = () => undefined;

  /** `onExcess` is called when more comes than is allowed, and has to end the connection. */
  constructor(onExcess: () => void) {
    this.#onExcess = onExcess;
  }

  /** The option of a new socket. Without it the socket allocates its own pieces. */
  readonly onread: OnReadOpts = {
    buffer: () => {
      if (bufferBytes - this.#at < mostTurnBytes) this.#at = 0;
      return this.#buffer.subarray(this.#at, this.#isTakenOver ? bufferBytes : this.#at + parsedBytes);
    },
    callback: (bytes, place) => {
      this.#at = place.byteOffset + bytes;
      this.#receive(place.subarray(0, bytes));
      return false;
    },
  };

  /** The stream that replaces the socket until `takeOver`. */
  attach(socket: Socket): Duplex {
    this.#socket = socket;
    this.#stream = standIn(socket, () => setImmediate(() => this.#isTakenOver || socket.resume()));
    socket.on("data", (piece) => {
      socket.pause();
      this.#receive(piece);
    });
    const onOver = (error?: unknown): void => {
      this.#isOver = true;
      if (error instanceof Error) this.#failure ??= error;
      this.#wake();
    };
    for (const event of ["error", "end", "close"]) socket.on(event, onOver);
    return this.#stream;
  }

  /** Lets so many more bytes through to the stream. */
  allow(bytes: number): void {
    this.#allowedBytes += bytes;
  }

  /** From now on only `next` gets pieces, and they are read when it is called. */
  takeOver(): void {
    this.#isTakenOver = true;
  }

  /** A piece that is valid until the next call; null: the connection has ended. */
  async next(): Promise<Uint8Array | null> {
    if (this.#waiting.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#socket?.resume();
      });
    }
    const piece = this.#waiting.shift();
    if (piece === undefined && this.#failure !== undefined) throw this.#failure;
    return piece ?? null;
  }

  #receive(piece: Uint8Array): void {
    if (this.#isTakenOver) {
      this.#waiting.push(piece);
      this.#wake();
      return;
    }
    this.#allowedBytes -= piece.byteLength;
    if (this.#allowedBytes < 0) this.#onExcess();
    else this.#stream?.push(piece);
  }
}

/** Each piece is asked for when the one before was taken. */
function standIn(socket: Socket, goOn: () => void): Duplex {
  const stream = new Duplex({
    readableHighWaterMark: 1,
    read: goOn,
    write: (bytes, encoding, done) => void socket.write(bytes, encoding, done),
    final: (done) => void socket.end(done),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  let isWhole = false;
  socket.on("error", (error) => stream.destroy(error));
  socket.on("end", () => {
    isWhole = true;
    stream.push(null);
  });
  // A body that ends by closing (RFC 9112 §6.3) is read after the connection has closed.
  socket.on("close", () => isWhole || stream.destroy());
  return stream;
}
