import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { Upload } from "../../contract/types.ts";
import { fileFailure } from "../../terminal/failure.ts";

/** A file to send. `onSent` gets the bytes read so far. Throws CommandError (3, 4, 6), also while it is read. */
export async function sentFile(path: string, onSent: (bytes: number) => void): Promise<Upload> {
  const failed = (error: unknown): never => {
    throw fileFailure(error, path);
  };
  const { size } = await stat(path).catch(failed);
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      // A file may grow meanwhile: no more is sent than was announced.
      for await (const piece of createReadStream(path, {
        end: Math.max(0, size - 1),
      }) as AsyncIterable<Buffer>) {
        yield piece;
        bytes += piece.length;
        onSent(bytes);
      }
    } catch (error) {
      failed(error);
    }
  };
  return { lengthBytes: size, [Symbol.asyncIterator]: pieces };
}
