import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { canonicalAddress } from "../accounts/throttle/client-key.ts";
import { errorCodes } from "../contract/error-codes.ts";
import { messageOf, StewardError } from "../contract/errors.ts";
import type { Log } from "../journal/logs/log.ts";
import type { Introspect } from "../product/introspection.ts";
import { isCoded, readBytes, strangersBody } from "./read-json.ts";

const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" } as const;

/** Answers the product's own program (RFC 7662), on its socket only: on the network it would be an oracle for tokens. */
export function createIntrospectHandler(introspect: Introspect, log: Log) {
  const busy = new WeakSet<Socket>();
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = request;
    // Node reads 64 KiB at once: three hundred requests in them would keep all others of the agent waiting.
    if (busy.has(socket)) return void socket.destroy();
    busy.add(socket);
    response.once("close", () => busy.delete(socket));
    const answer = (status: number, body: object) =>
      void response.writeHead(status, headers).end(JSON.stringify(body));
    try {
      const { token, page, address } = await readForm(request);
      answer(200, introspect(token, { page, from: canonicalAddress(address) ?? "local" }));
    } catch (error) {
      // A part of the body may not have been read.
      response.setHeader("Connection", "close");
      if (!(error instanceof StewardError)) {
        log("error", "a token could not be judged for the product", { detail: messageOf(error) });
        return answer(500, { error: "server_error" });
      }
      answer(errorCodes[error.code].status, { error: "invalid_request", error_description: error.message });
    }
  };
}

/** Throws `not_found`, `unsupported_media_type`, `malformed_request`, `payload_too_large`, `request_timeout`. */
async function readForm(request: IncomingMessage) {
  const { url, method, headers } = request;
  if (url !== "/api/product/introspect" || method !== "POST")
    throw new StewardError("not_found", "This socket answers POST /api/product/introspect only.");
  const [type = ""] = headers["content-type"]?.split(";", 1) ?? [];
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded" || isCoded(headers)) {
    const sentence = "Send the token as `token=…` with `Content-Type: application/x-www-form-urlencoded`.";
    throw new StewardError("unsupported_media_type", sentence);
  }
  const form = new URLSearchParams((await readBytes(request, strangersBody)).toString("utf8"));
  // Programs differ in which of two members of a name they take (RFC 6749 §3.2).
  const given = ["token", "page", "client_address"].map((name) => form.getAll(name));
  const [token, page, address = ""] = given.map(([value]) => value);
  if (token && given.every(({ length }) => length <= 1)) return { token, page, address };
  throw new StewardError(
    "malformed_request",
    "Send one `token`, and at most one `page` and `client_address`.",
  );
}
