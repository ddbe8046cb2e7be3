import { isIP } from "node:net";
import { isAbsolute, normalize } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { hostBitsFault } from "../../accounts/tokens/token-rights.ts";
import { durationSecondsOrNaN } from "../../contract/durations.ts";
import type { InputError } from "../../contract/errors.ts";
import { hostFile } from "../../contract/host-file/host-file.ts";
import type { HostFileDocument } from "../../contract/types.ts";
import { numbersIn, placeForm } from "../../product/reports.ts";
import { plainPort, releasePlace, signInOf } from "./decisions.ts";

/** A rule, and the place whose form must be right before it can judge. */
type Rule = readonly [pointer: string, judge: (file: HostFileDocument) => InputError[]];

/** The rules of the host file that its schema cannot express. */
const rules: readonly Rule[] = [
  ["/trusted_proxies", (file) => each("/trusted_proxies", file.trusted_proxies, proxyFault)],
  ["/https", ({ https }) => httpsFaults(https)],
  ["/oidc", ({ oidc }) => (oidc === undefined ? [] : oidcFaults(oidc))],
  ["/telemetry/otlp", ({ telemetry: { otlp } }) => (otlp === undefined ? [] : otlpFaults(otlp))],
  ["/telemetry/syslog", ({ telemetry: { syslog } }) => (syslog === undefined ? [] : syslogFaults(syslog))],
  ["/product", pageFaults],
  ["/product", reportFaults],
  ["/support_until", (file) => must("/support_until", isDay(file.support_until), parts.support_until)],
  ...["network", "update", "oidc", "notify", "telemetry/otlp", "telemetry/syslog"].map(proxyRule),
  [
    "/update/redirect_origins",
    ({ update }) => each("/update/redirect_origins", update.redirect_origins, redirectFault),
  ],
  ["/update/rules", ({ update }) => planFaults("/update/rules", update.rules)],
  ["/update/binary", ({ update }) => planFaults("/update/binary", update.binary)],
  ["/update/binary", ({ update }) => binaryFaults(update.binary)],
];

export function ruleFaults(file: HostFileDocument, ofForm: readonly InputError[]): InputError[] {
  const isWrong = (place: string) =>
    ofForm.some(
      ({ pointer }) => `${pointer}/`.startsWith(`${place}/`) || `${place}/`.startsWith(`${pointer}/`),
    );
  return rules.flatMap(([place, judge]) => (isWrong(place) ? [] : judge(file)));
}

const parts = hostFile.properties;
const ofUpdate = parts.update.properties;

interface Described {
  readonly "x-expected": string;
}

function expected({ "x-expected": words }: Described): string {
  return `must be ${words}`;
}

/** `otherwise`: the words of the fault, or the member whose form they say. */
function must(pointer: string, isSo: boolean, otherwise: string | Described): InputError[] {
  const detail = typeof otherwise === "string" ? otherwise : expected(otherwise);
  return isSo ? [] : [{ pointer, code: "rule", detail }];
}

/** `judge` returns the words of a fault; null: there is none. */
function each(
  pointer: string,
  list: readonly string[],
  judge: (entry: string) => string | null,
): InputError[] {
  return list.flatMap((entry, index) => {
    const detail = judge(entry);
    return must(`${pointer}/${index}`, detail === null, detail ?? "");
  });
}

/** Bits of the widest range that may be trusted: fc00::/7, all of private IPv6. */
const shortestPrefix = 7;

/** A trusted proxy chooses the client address by which failures are counted and requests are logged. */
function proxyFault(entry: string): string | null {
  const [, address = "", prefix] = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isMapped = /^[0:]*:ffff:/i.test(address);
  if (Number(prefix ?? bits) > bits || bits < 0 || isMapped) return expected(parts.trusted_proxies.items);
  if (Number(prefix ?? bits) >= shortestPrefix) return hostBitsFault(entry);
  return "must be a smaller range: strangers could claim any address. Name the proxies";
}

function httpsFaults({ port, address, redirect_port, hsts }: HostFileDocument["https"]): InputError[] {
  const { properties } = parts.https;
  const isAddress = address === undefined || isIP(address) !== 0;
  // RFC 6797 §8.3: a browser keeps every other port, and then uses TLS at the one that redirects.
  const isRedirected = redirect_port !== undefined && !(redirect_port === 80 && port === 443);
  const opened = "must not be true with an https.redirect_port, which browsers would open with TLS";
  return [
    ...must("/https/address", isAddress, properties.address),
    ...must("/https/redirect_port", port !== redirect_port, "must be another port than https.port"),
    ...must("/https/hsts", !(hsts && isRedirected), opened),
  ];
}

function oidcFaults(oidc: NonNullable<HostFileDocument["oidc"]>): InputError[] {
  const { issuer, origins, endpoint_origins, scopes, roles } = oidc;
  const { properties } = parts.oidc;
  const isProvided = isPlainAddress(issuer, "https:", { hasPath: true });
  const origin = expected(properties.origins.items);
  // Plain http on loopback only, where the agent answers it.
  const judgeOwn = (one: string) => (isOrigin(one, ["https:"]) || isLoopbackOrigin(one) ? null : origin);
  const judgeOther = (one: string) => (isOrigin(one, ["https:"]) ? null : origin);
  const isListed = [roles.admin, roles.operator, roles.readonly].some((groups) => groups.length > 0);
  const unlisted = 'must say which groups give which role, such as {"operator": ["plant-operators"]}';
  return [
    // OpenID Connect Discovery 1.0 §3: https, without a query or a fragment.
    ...must("/oidc/issuer", isProvided, properties.issuer),
    ...each("/oidc/origins", origins, judgeOwn),
    ...each("/oidc/endpoint_origins", endpoint_origins, judgeOther),
    ...must("/oidc/scopes", scopes?.includes("openid") ?? true, "must have openid among them"),
    ...must("/oidc/roles", isListed, unlisted),
  ];
}

function pageFaults(file: HostFileDocument): InputError[] {
  const {
    product: { pages, sign_in },
    https,
  } = file;
  const { pages: described, sign_in: describedSignIn } = parts.product.properties;
  const isSafe = (text: string) => isOrigin(text, ["https:"]) || isLoopbackOrigin(text);
  const own = urlOf(sign_in ?? "")?.origin;
  const ports = [plainPort, ...(https.enabled ? [https.port, https.redirect_port] : [])].map(String);
  const names = pages.map(({ name }) => name);
  const origins = pages.map(({ url }) => urlOf(url)?.origin);
  return [
    ...must("/product/sign_in", sign_in === undefined || isSafe(sign_in), describedSignIn),
    ...pages.flatMap(({ name, url }, index) => {
      const at = `/product/pages/${index}`;
      const { origin, port } = urlOf(url) ?? {};
      const isOther = origin !== own && !ports.includes(port ?? "");
      return [
        ...must(`${at}/url`, isSafe(url), described.items.properties.url),
        ...must(
          `${at}/url`,
          isOther,
          "must be another origin than Steward's: its cookies would be the page's",
        ),
        ...schemeFaults(`${at}/url`, url, file),
        ...must(
          `${at}/url`,
          origins.indexOf(origin) === index,
          "must be another origin than that of a page before",
        ),
        ...must(
          `${at}/name`,
          names.indexOf(name) === index,
          "must be another name than that of a page before",
        ),
      ];
    }),
  ];
}

/** To a browser two schemes of one host are two sites, and the way in from another site of that name is refused. */
function schemeFaults(
  at: string,
  url: string,
  { product: { sign_in }, https }: Pick<HostFileDocument, "product" | "https">,
): InputError[] {
  if (urlOf(url) === null || (sign_in !== undefined && urlOf(sign_in) === null)) return [];
  const [page, signIn] = [new URL(url), signInOf(url, sign_in, https)];
  const isOne = page.hostname !== signIn.hostname || page.protocol === signIn.protocol;
  const advice =
    page.protocol === "https:" ? "switch `https` on (steward tls enable), or name `sign_in`" : "use https";
  return must(at, isOne, `must have the scheme of its sign-in, ${signIn.origin}: ${advice}`);
}

function reportFaults({ product: { pages, units, reports } }: HostFileDocument): InputError[] {
  const { items } = parts.product.properties.reports;
  const codes = reports.map(({ code }) => code);
  const isSayable = (text: string) => !/[{}]/.test(text.replace(placeForm, ""));
  return [
    ...must(
      "/product",
      units.length > 0 || reports.length === 0,
      "must name the units that report, in `units`",
    ),
    ...reports.flatMap(({ code, page, text: { en, de = en }, ttl = "15m" }, index) => {
      const at = `/product/reports/${index}`;
      const seconds = durationSecondsOrNaN(ttl);
      const isPage = page === undefined || pages.some(({ name }) => name === page);
      const hasSameNumbers = isDeepStrictEqual(numbersIn(de), numbersIn(en));
      return [
        ...must(
          `${at}/code`,
          codes.indexOf(code) === index,
          "must be another code than that of a report before",
        ),
        ...must(`${at}/page`, isPage, "must be the name of one of product.pages"),
        ...must(`${at}/ttl`, seconds >= 60 && seconds <= 86_400, items.properties.ttl),
        ...must(
          `${at}/text`,
          isSayable(en + de),
          "must have braces only around the name of a number, such as {bar}",
        ),
        ...must(`${at}/text/de`, hasSameNumbers, "must have the same numbers as `en`"),
      ];
    }),
  ];
}

function otlpFaults({ url, interval }: NonNullable<HostFileDocument["telemetry"]["otlp"]>): InputError[] {
  const { properties } = parts.telemetry.properties.otlp;
  const isSecure = isPlainAddress(url, "https:", { hasPath: true });
  // Nothing of the record goes over a network in clear.
  const isOwn = isPlainAddress(url, "http:", { hasPath: true }) && isLoopbackAddress(url);
  const seconds = durationSecondsOrNaN(interval);
  return [
    ...must("/telemetry/otlp/url", isSecure || isOwn, properties.url),
    ...must("/telemetry/otlp/interval", seconds >= 60 && seconds <= 86_400, properties.interval),
  ];
}

function syslogFaults({ server }: NonNullable<HostFileDocument["telemetry"]["syslog"]>): InputError[] {
  const { server: described } = parts.telemetry.properties.syslog.properties;
  return must("/telemetry/syslog/server", !server.includes(":") || isIP(server) === 6, described);
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** An address without user name, password, query and fragment. */
function isPlainAddress(text: string, protocol: string, { hasPath = false } = {}): boolean {
  const url = urlOf(text);
  const isPlain = url?.username === "" && url.password === "" && !/[?#]/.test(text);
  return isPlain && url.protocol === protocol && (hasPath || url.pathname === "/");
}

function isOrigin(text: string, protocols: readonly string[]): boolean {
  const url = urlOf(text);
  const isWhole = text === url?.origin || text === `${url?.origin}/`;
  // A pattern is a name to the parser of addresses, and no server has it.
  return isWhole && protocols.includes(url?.protocol ?? "") && !text.includes("*");
}

function isLoopbackOrigin(text: string): boolean {
  const name = urlOf(text)?.hostname ?? "";
  return isOrigin(text, ["http:"]) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(name);
}

/** Not every text of this form is a day: 2031-02-30 is not. */
function isDay(text: string | undefined): boolean {
  return text === undefined || new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true;
}

/** Without a password: every user of the device can read the host file. */
function proxyRule(part: string): Rule {
  const place = `/${part}/proxy`;
  return [
    place,
    (file) => {
      const members = part.split("/").reduce<object | undefined>((at, name) => at?.[name as never], file);
      const { proxy = "none" } = (members ?? {}) as { readonly proxy?: string };
      return must(place, proxy === "none" || isPlainAddress(proxy, "http:"), ofUpdate.proxy);
    },
  ];
}

function redirectFault(origin: string): string | null {
  return isOrigin(origin, ["http:", "https:"]) ? null : expected(ofUpdate.redirect_origins.items);
}

type Plan = HostFileDocument["update"]["rules"];

function binaryFaults(plan: Plan): InputError[] {
  const isStarted = plan === undefined || plan.unit !== undefined || plan.activate !== undefined;
  return must(
    "/update/binary",
    isStarted,
    "must have a unit or activate: nothing would start the new release",
  );
}

function planFaults(pointer: string, plan: Plan): InputError[] {
  if (plan === undefined) return [];
  const { unit, activate, self_test, health } = plan;
  const { http, command, successes, interval, within } = health;
  const described = ofUpdate.rules.properties.health.properties;
  const intervalSeconds = durationSecondsOrNaN(interval);
  const withinSeconds = durationSecondsOrNaN(within);
  const isKnown = unit !== undefined || http.length > 0 || command !== undefined;
  const isLongEnough = !(withinSeconds < successes * intervalSeconds);
  const isUsual = intervalSeconds >= 0.1 && intervalSeconds <= 60;
  const at = `${pointer}/health`;
  return [
    ...programFaults(`${pointer}/activate`, activate),
    ...programFaults(`${pointer}/self_test`, self_test),
    ...programFaults(`${at}/command`, command),
    ...http.flatMap(({ url }, index) =>
      must(`${at}/http/${index}/url`, isLoopbackAddress(url), described.http.items.properties.url),
    ),
    ...must(`${at}/interval`, isUsual, described.interval),
    ...must(`${at}/within`, withinSeconds > 0 && withinSeconds <= 3_600, described.within),
    ...must(
      `${at}/within`,
      isLongEnough,
      `must be long enough for ${successes} answers, one every ${interval}`,
    ),
    ...must(pointer, isKnown, "must have a health check: a unit, health.http or health.command"),
  ];
}

/** A literal address: a name could be resolved to any other host. */
function isLoopbackAddress(text: string): boolean {
  const url = urlOf(text);
  const isLoopback = /^(127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? "");
  return isLoopback && url?.protocol === "http:" && url.username + url.password + url.hash === "";
}

function programFaults(pointer: string, command: readonly string[] | undefined): InputError[] {
  const [program] = command ?? [];
  const isRight = program === undefined || isProgram(program);
  return must(`${pointer}/0`, isRight, `must be an absolute path, or a path below ${releasePlace}/`);
}

/** A path below the release, or an absolute path without `..`. */
function isProgram(program: string): boolean {
  const path = program.startsWith(`${releasePlace}/`) ? program.slice(releasePlace.length) : program;
  return isAbsolute(path) && path !== "/" && normalize(path) === path && !path.includes(releasePlace);
}
