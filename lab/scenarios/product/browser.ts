import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import { type RequestOptions, request } from "node:https";
import { codeNear } from "../../basics/authenticator.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { password } from "../people.ts";
import { type Arrived, arrivedIn } from "./pump.ts";

const host = "edge-7.example.net";
/** The container's address in the LAN, where a browser would be. */
export const lan = "10.0.2.15";
/** The addresses of docs/product.md: the page's, and the console's. */
export const pump = `https://${host}:444`;
export const steward = `https://${host}:8443`;

/** The headers of a browser: a person opens a page, follows a link from the console, and the page's own script asks. */
export const opens = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
export const follows = { ...opens, "sec-fetch-site": "same-site" };
export const script = {
  "sec-fetch-site": "same-origin",
  "sec-fetch-mode": "cors",
  "sec-fetch-dest": "empty",
};

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The request as the product has seen it; undefined: the answer is not the product's. */
  readonly arrived: Arrived | undefined;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** A request as from a browser in the LAN, on a connection of its own, over TLS that is checked. */
export function ask(url: string, { method, headers, body }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(optionsOf(url, method ?? (body === undefined ? "GET" : "POST"), headers));
    asking.on("error", reject).on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("error", reject);
      response.on("data", (part: string) => {
        text += part;
      });
      const { statusCode: status = 0, headers } = response;
      response.on("end", () => resolve({ status, headers, text, arrived: arrivedIn(text) }));
    });
    asking.end(body);
  });
}

/** Opens a WebSocket, and returns the status and what came back of the text that was sent over it. */
export function opensSocket(headers: OutgoingHttpHeaders): Promise<[status: number, echo: string]> {
  const upgrade = {
    ...{ connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  return new Promise((resolve, reject) => {
    const asking = request(optionsOf(`${pump}/socket`, "GET", { ...upgrade, ...headers }));
    asking.on("error", reject);
    asking.on("response", (response) => {
      response.resume();
      resolve([response.statusCode ?? 0, ""]);
    });
    asking.on("upgrade", ({ statusCode = 0 }, socket) => {
      socket.on("error", reject).on("data", (bytes) => {
        socket.destroy();
        resolve([statusCode, String(bytes.subarray(2))]);
      });
      // A message of text, masked by zeros (RFC 6455, section 5.2).
      socket.write(Buffer.concat([Buffer.from([0x81, 0x87, 0, 0, 0, 0]), Buffer.from("valve 3")]));
    });
    asking.end();
  });
}

/** Returns what has come of a stream by the first time that anything comes, and whether it is still open then. */
export function opensStream(headers: OutgoingHttpHeaders): Promise<[text: string, isOpen: boolean]> {
  return new Promise((resolve) => {
    const asking = request(
      optionsOf(`${pump}/events`, "GET", { accept: "text/event-stream", ...script, ...headers }),
    );
    // It is over, also where a server has held its events back until then.
    asking.on("error", (error) => resolve([String(error), false]));
    asking.on("response", (response) => {
      const end = () => resolve(["nothing came", false]);
      response.on("error", end).on("end", end);
      response.on("data", (bytes) => {
        resolve([String(bytes), !response.complete]);
        asking.destroy();
      });
    });
    asking.end();
  });
}

const mostSeconds = 60;

function optionsOf(url: string, method: string, headers: OutgoingHttpHeaders = {}): RequestOptions {
  const { host: named, port, pathname, search } = new URL(url);
  const certificates = ["/etc/ssl/certs/steward.pem", "/var/lib/steward/tls/certificate.pem"];
  return {
    ...{ host: lan, port, path: pathname + search, method, servername: host, agent: false },
    headers: { host: named, ...headers },
    ca: certificates.map((path) => readFileSync(path)),
    signal: AbortSignal.timeout(mostSeconds * 1_000),
  };
}

/** The body of a request to Steward's API, and the token for it. */
export const asJson = (body: object, token?: string): Asked => ({
  headers: {
    "content-type": "application/json",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  },
  body: JSON.stringify(body),
});

/** Signs in at the console as it does it, with the second factor where there is one; returns the access token. */
export async function signsIn(guest: Guest, username: string, secret?: string): Promise<string> {
  let signed = await ask(`${steward}/api/auth/login`, asJson({ username, password }));
  if (secret !== undefined) {
    const { code, challenge_token } = JSON.parse(signed.text);
    guest.check(`${username} is asked for a code`, signed.status === 401 && code === "totp_required", signed);
    // Enrolling has used the code of now.
    const given = asJson({ challenge_token, code: codeNear(secret, 1) });
    signed = await ask(`${steward}/api/auth/totp`, given);
  }
  guest.check(`${username} signs in`, signed.status === 200, signed);
  return String(JSON.parse(signed.text).access_token);
}

/** Goes from the console to the page, as far as its cookie; returns that, and the address that let the browser in. */
export async function entered(
  guest: Guest,
  token: string,
  to = "/status?a=1&b=2",
): Promise<[string, string]> {
  const path = `${steward}/api/product/pages/pump/enter`;
  const begun = await ask(path, asJson({ to }, token));
  guest.check("the console gets a way into the page", begun.status === 200, begun);
  const { location } = JSON.parse(begun.text) as { location: string };
  const finished = await ask(location, { headers: follows });
  const cookie = String(finished.headers["set-cookie"] ?? "");
  const isLed = finished.status === 302 && finished.headers.location === to;
  const isMarked = /^__Host-steward-page-pump-\w{8}=\S+; Path=\/; Secure; HttpOnly; SameSite=Strict$/.test(
    cookie,
  );
  guest.check("the page takes it, with a cookie of its own", isLed && isMarked, finished);
  return [cookie.split(";", 1)[0] ?? "", location];
}
