import type { Guest } from "../../machines/guest/vocabulary.ts";
import {
  type Answer,
  ask,
  follows,
  lan,
  opens,
  opensSocket,
  opensStream,
  pump,
  script,
  steward,
} from "./browser.ts";

/** A browser that a person has signed in with, at the page behind this server. */
export interface Visit {
  readonly server: "nginx" | "Caddy";
  readonly gate: string;
  readonly username: string;
  readonly id: string;
  readonly cookie: string;
  /** The address that has let the browser in, once. */
  readonly entrance: string;
}

/** Before a sign-in. */
export async function ledToSignIn(guest: Guest, server: Visit["server"]): Promise<void> {
  const path = "/status?a=1&b=%20x";
  const person = await ask(pump + path, { headers: opens });
  const { location = "" } = person.headers;
  const isLed = person.status === 302 && location === `${steward}/product/pump?to=${path}`;
  guest.check(`${server} leads a person to the sign-in, with the path`, isLed, person);
  const page = await ask(location, { headers: { ...follows, accept: "text/html" } });
  guest.check(
    "where the console is",
    page.status === 200 && page.text.includes("<html"),
    page.text.slice(0, 300),
  );
  const claims = { "steward-user": "root", "steward-role": "admin", "steward-gate": "guessed" };
  for (const [who, headers] of [
    ["a script", script],
    ["a frame", { ...opens, "sec-fetch-dest": "iframe" }],
    ["a program", {}],
    ["a program that names its user", claims],
    ["a cookie of its own making", { ...script, cookie: "__Host-steward-page-pump-00000000=a.b" }],
  ] as const) {
    const { status, headers: answered, arrived } = await ask(pump + path, { headers });
    const isRefused = status === 401 && answered.location === undefined && arrived === undefined;
    guest.check(`${who} gets 401`, isRefused, [status, answered]);
  }
  const [status] = await opensSocket({ origin: pump });
  guest.check("and so does a WebSocket", status === 401, status);
}

/** The requests that get through arrive whole, with the visitor. */
export async function passesOn(guest: Guest, visit: Visit): Promise<void> {
  const { server, cookie, entrance } = visit;
  const page = await ask(`${pump}/status?a=1&b=2`, { headers: { ...follows, cookie } });
  guest.check(`the page comes through ${server}, and knows the visitor`, isOf(visit, page), page);
  const again = await ask(entrance, { headers: follows });
  const isSpent = again.status === 302 && again.headers["set-cookie"] === undefined;
  guest.check(
    "the way in was for one use",
    isSpent && again.headers.location?.startsWith(steward) === true,
    again,
  );
  const own = { ...script, cookie, origin: pump };
  const navigates = { ...opens, "sec-fetch-site": "same-origin" };
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const form = await ask(`${pump}/valves`, { headers: { ...own, ...navigates, ...type }, body: "valve=3" });
  guest.check("its own form arrives", form.arrived?.method === "POST" && form.arrived.bytes === 7, form);
  const file = Buffer.alloc(50 * 1_024 * 1_024, "x");
  for (const [what, framing] of [
    ["50 MiB", {}],
    ["50 MiB of a length that is not said", { "transfer-encoding": "chunked" }],
  ] as const) {
    const upload = await ask(`${pump}/firmware`, {
      headers: { ...own, ...framing },
      body: file,
      method: "PUT",
    });
    guest.check(`${what} arrive`, upload.arrived?.bytes === file.length && isOf(visit, upload), upload);
  }
  const socket = await opensSocket({ cookie, origin: pump });
  guest.check("a WebSocket is opened, and carries", socket.join() === "101,valve 3", socket);
  const stream = await opensStream({ cookie });
  guest.check(
    "an event is seen while its stream is open",
    stream.join() === "data: the only event\n\n,true",
    stream,
  );
  await takesHttp2(guest, visit);
  await keepsHeadersTrue(guest, visit);
}

/** As browsers speak with Caddy; nginx has to be asked for it, and answers in HTTP/1.1. */
async function takesHttp2(guest: Guest, { server, username, cookie }: Visit): Promise<void> {
  const { host } = new URL(pump);
  const place = ["--cacert", "/etc/ssl/certs/steward.pem", "--resolve", `${host}:${lan}`];
  const words = ["--silent", "--show-error", "--http2", ...place, "--header", `Cookie: ${cookie}`];
  const ran = await guest.run("curl", [...words, "--write-out", "%{http_version}", `${pump}/`]);
  const [, version] = /\}(\S+)$/.exec(ran.stdout) ?? [];
  const isWhole = ran.stdout.includes(`"Steward-User","${username}"`);
  const expected = server === "Caddy" ? "2" : "1.1";
  guest.check(`${server} gives the page by HTTP/${expected}`, isWhole && version === expected, ran);
}

/** The names of the visitor count from Steward only; a sign-in of the product's own goes through. */
async function keepsHeadersTrue(guest: Guest, visit: Visit): Promise<void> {
  const { server, cookie } = visit;
  const claims = {
    ...{ "steward-user": "root", "steward-role": ["admin", "admin"], "steward-gate": "guessed" },
    ...{ "steward-user-id": "usr_1", "steward-kind": "token", "steward-session": "ses_1" },
    ...{ "steward-authorization": "Bearer other", "STEWARD-RECHECK": "999999" },
    // To a CGI or WSGI program the same names.
    ...{ steward_user: "root", steward_role: "admin", steward_gate: "guessed", "Steward-User_Id": "usr_1" },
  };
  const claimed = await ask(`${pump}/`, { headers: { ...script, cookie, ...claims } });
  guest.check(`a client cannot name another visitor through ${server}`, isOf(visit, claimed), claimed);
  const basic = "Basic cHVtcDpwdW1w";
  const named = await ask(`${pump}/`, { headers: { ...script, cookie, authorization: basic } });
  const isOwn = isOf(visit, named) && named.arrived?.values("authorization") === basic;
  guest.check("a sign-in of the product's own goes through", isOwn, named);
}

/** True: the product was asked by this visitor, and nothing else was said of them. */
export function isOf({ gate, username, id }: Visit, { arrived }: Answer): boolean {
  if (arrived === undefined) return false;
  const { values, names } = arrived;
  const expected = {
    "steward-gate": gate,
    "steward-user": username,
    "steward-user-id": id,
    "steward-role": "operator",
    "steward-kind": "user",
    "steward-recheck": "30",
    "steward-authorization": "",
  };
  const isNamed = Object.entries(expected).every(([name, value]) => values(name) === value);
  const isPlain = !names.some((name) => /^steward.*_/i.test(name));
  const isWhere = values("host") === new URL(pump).host && values("x-forwarded-proto") === "https";
  return isNamed && isPlain && isWhere && /^ses_\w+$/.test(values("steward-session"));
}

/** Requests of a browser that is signed in, which other pages have caused. */
export async function keepsForeignOut(guest: Guest, { server, cookie }: Visit): Promise<void> {
  const neighbour = "https://edge-7.example.net:445";
  for (const [what, method, headers, expected] of [
    ["a link elsewhere", "GET", { ...opens, "sec-fetch-site": "cross-site" }, 200],
    [
      "a form of another origin",
      "POST",
      { ...opens, "sec-fetch-site": "cross-site", origin: "https://evil.example" },
      403,
    ],
    ["a form on another port", "POST", { ...follows, origin: neighbour }, 403],
    ["the console's own script", "GET", { ...script, "sec-fetch-site": "same-site", origin: steward }, 403],
    ["a picture on another port", "GET", { ...script, "sec-fetch-site": "same-site" }, 403],
    ["a change without an origin", "DELETE", {}, 403],
    ["one that calls itself a GET", "POST", { "x-original-method": "GET", "x-forwarded-method": "GET" }, 403],
  ] as const) {
    const answer = await ask(`${pump}/valves`, { method, headers: { ...headers, cookie } });
    const isRight = answer.status === expected && (answer.arrived !== undefined) === (expected === 200);
    guest.check(`${server}: ${what} gets ${expected}`, isRight, answer);
  }
  const [status] = await opensSocket({ cookie, origin: neighbour });
  guest.check(`${server}: a WebSocket of another port gets 403`, status === 403, status);
}
