import type { IncomingMessage, ServerResponse } from "node:http";
import { canonicalAddress } from "../accounts/throttle/client-key.ts";
import { errorCodes } from "../contract/error-codes.ts";
import { messageOf, StewardError } from "../contract/errors.ts";
import type { Log } from "../journal/logs/log.ts";
import type { Introspect } from "../product/introspection.ts";
import { isCoded, readBytes, strangersBody } from "./read-json.ts";

export const introspectionPath = "/api/product/introspect";

const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" } as const;

/**
 * Answers the product's own program (RFC 7662), on its socket only: on the network it would be an oracle for tokens. Never
 * throws.
 */
export function createIntrospectHandler(introspect: Introspect, log: Log) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = (status: number, body: object) =>
      void response.writeHead(status, headers).end(JSON.stringify(body));
    try {
      const form = await readForm(request);
      const token = only(form, "token");
      if (!token) throw malformed("The form has no member `token`.");
      answer(200, introspect(token, canonicalAddress(only(form, "client_address")) ?? "local"));
    } catch (error) {
      const { code, message } = error instanceof StewardError ? error : unexpected(log, error);
      // A part of the body may not have been read.
      response.setHeader("Connection", "close");
      // RFC 6749 §5.2
      const word = code === "internal_error" ? "server_error" : "invalid_request";
      answer(errorCodes[code].status, { error: word, error_description: message });
    }
  };
}

/** Throws `not_found`, `method_not_allowed`, `unsupported_media_type`, `payload_too_large`, `request_timeout`. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const { url, method, headers } = request;
  if (url !== introspectionPath)
    throw new StewardError("not_found", `This socket answers POST ${introspectionPath} only.`);
  if (method !== "POST")
    throw new StewardError("method_not_allowed", "Send the token by POST: an address is written into logs.");
  const [type = ""] = headers["content-type"]?.split(";", 1) ?? [];
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded" || isCoded(headers)) {
    const sentence = "Send the token as `token=…` with `Content-Type: application/x-www-form-urlencoded`.";
    throw new StewardError("unsupported_media_type", sentence);
  }
  return new URLSearchParams((await readBytes(request, strangersBody)).toString("utf8"));
}

/** Programs differ in which of two members of a name they take (RFC 6749 §3.2). */
function only(form: URLSearchParams, name: string): string {
  const [value = "", ...others] = form.getAll(name);
  if (others.length === 0) return value;
  throw malformed(`The form has \`${name}\` twice.`);
}

function malformed(sentence: string): StewardError {
  return new StewardError("malformed_request", sentence);
}

function unexpected(log: Log, error: unknown): StewardError {
  log("error", "a token could not be judged for the product", { detail: messageOf(error) });
  return new StewardError("internal_error", "The agent failed unexpectedly. Its log has the cause.");
}
