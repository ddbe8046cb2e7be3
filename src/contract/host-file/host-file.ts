import { duration } from "../durations.ts";
import { unitName } from "../schemas/logs.ts";
import { settings } from "../schemas/settings.ts";
import { group, partialObject, strictObject } from "../shapes.ts";
import { flag, path, plainHostFile as plain, port, seenText } from "./members.ts";
import { oidc } from "./oidc.ts";
import { product } from "./product.ts";
import { releasePlan } from "./release-plan.ts";
import { network, ownSurroundings } from "./surroundings.ts";

const otlp = strictObject(
  {
    url: {
      type: "string",
      maxLength: 1_024,
      "x-secret": "address",
      description:
        "An OpenTelemetry collector that gets each event as a log record, and the metrics: the address that `/v1/logs` and `/v1/metrics` follow. https; http only for a loopback address",
      "x-expected":
        "an https address such as https://collector.example.net:4318, or http of a loopback address such as http://127.0.0.1:4318, without a password and a query",
      examples: ["https://collector.example.net:4318"],
    },
    headers_file: {
      ...path,
      description:
        "File with headers of each request, a line `name: value` each, such as a token; `root:steward` 0640. It is read at each request",
      examples: ["/etc/steward/otlp-headers"],
    },
    ...ownSurroundings,
    interval: {
      ...duration,
      default: "5m",
      description: "Time between two deliveries of metrics, `1m` to `24h`. Default: `5m`",
      "x-expected": "a duration from 1m to 24h, such as 5m",
      examples: ["5m"],
    },
  },
  ["headers_file", "ca_file", "proxy", "client_certificate_file", "interval"],
);

const syslog = strictObject(
  {
    server: {
      type: "string",
      pattern: "^(?!.*\\.\\.)[A-Za-z0-9:]([A-Za-z0-9.:-]{0,251}[A-Za-z0-9:])?$",
      description:
        "A syslog server that gets each event over TLS (RFC 5424, RFC 5425): its name or address, which its certificate must have",
      "x-expected": "the name or address of a server such as logs.example.net",
      examples: ["logs.example.net"],
    },
    port: { ...port, default: 6_514, description: "Its port. Default: 6514", examples: [6_514] },
    ...ownSurroundings,
  },
  ["port", "ca_file", "proxy", "client_certificate_file"],
);

/** The receivers that get every event of the record, and the metrics. */
const telemetry = { ...group, properties: { otlp, syslog } } as const;

const maker = strictObject(
  {
    name: {
      ...seenText(64),
      description: "The maker of the product, as the console names it",
      examples: ["Pumpworks"],
    },
    mark: {
      ...path,
      pattern: "^/[^\\u0000]*\\.(svg|png)$",
      "x-expected": "an absolute path of an .svg or .png file",
      description:
        "Its mark, an SVG or PNG file of up to 64 KiB that the console shows, to everyone on the sign-in page. Root must own it, like the host file",
      examples: ["/etc/steward/mark.svg"],
    },
    picture: {
      ...path,
      pattern: "^/[^\\u0000]*\\.(svg|png|jpg)$",
      "x-expected": "an absolute path of an .svg, .png or .jpg file",
      description:
        "A picture of the product, an SVG, PNG or JPEG file of up to 256 KiB that the console shows. Root must own it, like the host file",
      examples: ["/etc/steward/product.jpg"],
    },
    support: {
      type: "string",
      pattern: "^(https://[^\\s<>]{1,200}|[^\\s@<>]{1,64}@[^\\s@<>]{1,190}|\\+[0-9][0-9 ]{4,30}[0-9])$",
      "x-expected": "an https address, an e-mail address, or a telephone number such as +49 40 123456",
      description:
        "The address at which it helps, as the console shows it: https, e-mail, or a telephone number that begins with `+`",
      examples: ["support@pumpworks.example"],
    },
  },
  ["mark", "picture", "support"],
);

/** RFC 1123 §2.1, in ASCII: the part of a Host header before the port. */
const hostName = {
  type: "string",
  pattern:
    "^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$",
  "x-expected": "a host name such as edge-7.example.net",
} as const;

/** Judged as an address by the rules of the host file: no pattern knows all that an address may be. */
const origin = {
  type: "string",
  "x-expected": "an origin such as https://cdn.example.net, named in full",
} as const;

const {
  type: text,
  pattern,
  "x-expected": expected,
} = settings.properties.update.properties.ota.properties.channel;
const channel = { type: text, pattern, "x-expected": expected } as const;

const https = {
  ...group,
  properties: {
    // Without a default: an administrator of the console may ask for HTTPS where root has not decided.
    enabled: {
      type: "boolean",
      description:
        "true: HTTPS on the LAN. `steward tls enable` writes it. false: it is off, and only root switches it on. Default: off, until an administrator switches it on in the console",
      examples: [true],
    },
    port: {
      ...port,
      default: plain.https.port,
      description:
        "Its port. Below 1024 the agent needs a right that its unit does not give it. Default: 8443",
      examples: [8443],
    },
    address: {
      type: "string",
      description: "The only address of the device that it listens on. Default: all",
      "x-expected": "an address such as 192.0.2.7",
      examples: ["192.0.2.7"],
    },
    hsts: {
      type: "boolean",
      default: plain.https.hsts,
      description:
        "Tell browsers to use this name by HTTPS alone for a year, while an installed certificate is shown. Default: `false`",
      examples: [false],
    },
    redirect_port: {
      ...port,
      description:
        "A port for plain HTTP on the LAN, which answers nothing but a redirect to HTTPS. Default: none",
      examples: [8080],
    },
  },
} as const;

const update = {
  ...group,
  properties: {
    ...ownSurroundings,
    allow_local_servers: flag(
      plain.update.allow_local_servers,
      "true: loopback and link-local addresses may be update servers. Default: false",
    ),
    redirect_origins: {
      type: "array",
      items: origin,
      default: plain.update.redirect_origins,
      description: "Origins, such as a CDN's, that an update server may redirect to, each named in full",
      examples: [["https://cdn.example.net"]],
    },
    channels: {
      type: "array",
      items: channel,
      minItems: 1,
      description:
        "Channels that releases may be of. A setting with another channel is refused with `409 pinned_by_host`. Default: any",
      examples: [["stable"]],
    },
    rules: releasePlan,
    binary: releasePlan,
  },
} as const;

const notify = {
  ...group,
  properties: {
    ...ownSurroundings,
    allow_local_servers: flag(
      plain.notify.allow_local_servers,
      "true: receivers of notifications may be at loopback and link-local addresses, and at `http://` addresses. Default: false",
    ),
    allow_http: flag(
      plain.notify.allow_http,
      "true: receivers of notifications may be at `http://` addresses, where anyone on the way reads messages and tokens. Default: false",
    ),
  },
} as const;

const time = {
  ...group,
  properties: {
    ca_file: {
      ...path,
      description:
        "PEM file with the only certificate authorities that time servers may use. Root must own it, like the host file. Default: those of the system, /etc/ssl/certs/ca-certificates.crt",
      examples: ["/etc/steward/time-ca.pem"],
    },
  },
} as const;

/** Root's decisions about a device, with the words of the documents; programs/host-file/rules.ts has further rules. */
export const hostFile = partialObject({
  $schema: {
    type: "string",
    maxLength: 256,
    description: "The place of this file's schema, for editors. It has no effect. Default: none",
    examples: ["host-file.schema.json"],
  },
  names: {
    type: "array",
    items: hostName,
    default: plain.names,
    description:
      "Host names that the device answers to besides its own, `NAME.local`, its addresses and localhost. Any other `Host` header gets 421",
    examples: [["edge-7.example.net"]],
  },
  trusted_proxies: {
    type: "array",
    items: { type: "string", "x-expected": "an address, or a range such as 10.1.0.0/16 or fd00:1::/64" },
    default: plain.trusted_proxies,
    description:
      "Addresses and ranges of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed",
    examples: [["10.0.0.2", "fd00:1::/64"]],
  },
  https,
  log_units: {
    type: "array",
    items: unitName,
    default: plain.log_units,
    description: "systemd units, besides the agent's own, whose log can be read through the agent",
    examples: [["nginx.service"]],
  },
  product,
  kernel_rescue: flag(
    plain.kernel_rescue,
    "false: `steward.rescue=1` on the kernel's command line prints no setup token on the first terminal. Default: true",
  ),
  maker,
  oidc,
  support_until: {
    type: "string",
    pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
    description:
      "The last day of the maker's support, such as `2031-12-31`. `steward status` and the console report it from 90 days before",
    "x-expected": "a day such as 2031-12-31",
    examples: ["2031-12-31"],
  },
  network: { ...group, properties: network },
  notify,
  telemetry,
  time,
  update,
});
