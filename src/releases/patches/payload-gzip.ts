import { Deflate } from "pako/lib/deflate.js";

/** As `tar -czf` packs. */
const level = 6;

/** Bytes of each piece that is written. */
const pieceBytes = 65_536;

/** Packs a tar archive, piece by piece. */
export interface PayloadGzip {
  push(piece: Uint8Array): void;
  /** Writes the rest. */
  end(): void;
}

/**
 * Packs exactly as zlib 1.x at level 6 does, with its own header (no name, no time): by a port of it in JavaScript, because
 * one byte that differs is another hash. The zlib of Node is Chromium's, which packs the same content differently, from
 * version to version too. `write` gets pieces whose memory is not used again.
 */
export function createPayloadGzip(write: (piece: Uint8Array) => void): PayloadGzip {
  const packer = new Deflate({ level, gzip: true, chunkSize: pieceBytes });
  packer.onData = write;
  return {
    push: (piece) => void packer.push(piece, false),
    end: () => void packer.push(new Uint8Array(0), true),
  };
}
