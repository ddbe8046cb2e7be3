import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import type Koa from "koa";
import { systemErrorCode } from "../../contract/errors.ts";
import type { Bytes } from "../dispatch.ts";
import { reset } from "./unread-answers.ts";

/** Milliseconds for a client to close the connection after the last byte: what it read may wait for a slow disk or pipe. */
const closingMilliseconds = 60_000;

/**
 * Answers with bytes as they are made, as fast as the client takes them. Their length is not known, so an answer that
 * breaks off has no last chunk, and resets the connection for clients of HTTP/1.0, to which any other end is a whole
 * answer. A client that goes away ends the making; that is no error. Throws what the making throws, and the reason why it
 * must end.
 */
export async function sendBytes(
  ctx: Koa.Context,
  { pieces, sent, taken }: Bytes,
  { mediaType, signal }: { readonly mediaType: string; readonly signal: AbortSignal },
): Promise<void> {
  const { res } = ctx;
  const { socket } = ctx.req;
  ctx.respond = false;
  res.statusCode = 200;
  res.setHeader("Content-Type", mediaType);
  res.setHeader("Connection", "close");
  // Otherwise nginx takes all of it, however slow or dead its client is.
  res.setHeader("X-Accel-Buffering", "no");
  const isTaken = taken && closedInOrder(ctx.req);
  const breakOff = (): void => reset(socket);
  signal.addEventListener("abort", breakOff);
  let bytes = 0;
  const making = pieces[Symbol.asyncIterator]();
  const counted = async function* () {
    try {
      for (let next = await making.next(); !next.done; next = await making.next()) {
        bytes += next.value.length;
        yield next.value;
      }
    } catch (error) {
      breakOff();
      throw error;
    }
  };
  try {
    await pipeline(counted, res, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (systemErrorCode(error) === "ERR_STREAM_PREMATURE_CLOSE") return;
    throw error;
  } finally {
    signal.removeEventListener("abort", breakOff);
    // Also where the client was gone before the first piece was asked for.
    await making.return?.();
  }
  await sent(bytes);
  if (await isTaken) taken?.();
}

/**
 * True when the client closes the connection in order after the last byte, as it does once it has read all; the kernel
 * resets the connection of a client that ends with bytes unread. Node would close first, and never see which it is. A proxy
 * that says it is one has them with its close: HAProxy resets each connection that it is done with.
 */
function closedInOrder({ socket, headers }: IncomingMessage): Promise<boolean> {
  const isForwarded = ["x-forwarded-for", "forwarded", "via"].some((name) => name in headers);
  // Node calls it after the last byte of an answer that ends its connection.
  socket.destroySoon = () => {
    socket.end();
    socket.setTimeout(closingMilliseconds, () => socket.destroy());
  };
  return new Promise((resolve) => {
    socket.once("close", (hadError) => resolve(isForwarded || (!hadError && socket.readableEnded)));
  });
}
