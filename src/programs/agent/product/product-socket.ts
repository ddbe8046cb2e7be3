import { createServer } from "node:http";
import type { Socket } from "node:net";
import { messageOf, StewardError } from "../../../contract/errors.ts";
import type { RequestListener } from "../../../http/wire/connections.ts";
import { createAdmission, type UnitsAtSocket } from "./admitted-units.ts";
import { answerLines, type Conversation, refuse } from "./product-lines.ts";

/** Milliseconds without a byte after which a connection of HTTP ends. */
const silentMilliseconds = 10_000;

export interface ProductSocket extends UnitsAtSocket, Conversation {
  /** RFC 7662. */
  readonly introspect: RequestListener;
}

/** The product's socket: hears the units of the product, line by line, and refuses others in one line. */
export function createProductSocket(options: ProductSocket) {
  const { admit, close } = createAdmission(options);
  const http = createServer({ maxHeaderSize: 4_096 }, options.introspect);
  http.timeout = silentMilliseconds;
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
        (error) => {
          refuse(
            socket,
            options.timers,
            error instanceof StewardError ? error.code : "internal_error",
            messageOf(error),
          );
        },
      );
    },
    /** Ends all connections: their peers come back. */
    stop: close,
  };
}
