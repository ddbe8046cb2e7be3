import { pipeline } from "node:stream/promises";
import type Koa from "koa";
import { systemErrorCode } from "../../contract/errors.ts";
import type { Bytes } from "../dispatch.ts";

/**
 * Answers with bytes as they are made, as fast as the client takes them. Their length is not known, so an answer that
 * breaks off has no last chunk, and the client sees that. A client that goes away ends the making; that is no error. Throws
 * what the making throws, and the reason why it must end.
 */
export async function sendBytes(
  ctx: Koa.Context,
  { pieces, sent }: Bytes,
  { mediaType, signal }: { readonly mediaType: string; readonly signal: AbortSignal },
): Promise<void> {
  const { res } = ctx;
  ctx.respond = false;
  res.statusCode = 200;
  res.setHeader("Content-Type", mediaType);
  let bytes = 0;
  const making = pieces[Symbol.asyncIterator]();
  const counted = async function* () {
    for (let next = await making.next(); !next.done; next = await making.next()) {
      bytes += next.value.length;
      yield next.value;
    }
  };
  try {
    await pipeline(counted, res, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (systemErrorCode(error) === "ERR_STREAM_PREMATURE_CLOSE") return;
    throw error;
  } finally {
    // Also where the client was gone before the first piece was asked for.
    await making.return?.();
  }
  await sent(bytes);
}
