import { duration } from "../durations.ts";
import { group, strictObject } from "../shapes.ts";
import { path, port } from "./members.ts";
import { ownSurroundings } from "./surroundings.ts";

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
export const telemetry = { ...group, properties: { otlp, syslog } } as const;
