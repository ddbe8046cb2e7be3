/** Judges OTLP's JSON by the published protocol files (test/vectors/otlp), read by protobufjs. */
import assert from "node:assert/strict";
import { join } from "node:path";
import protobuf from "protobufjs";

const vectors = join(import.meta.dirname, "../../test/vectors/otlp");

const services = {
  "/v1/logs": "collector/logs/v1/logs_service.proto ExportLogsServiceRequest",
  "/v1/metrics": "collector/metrics/v1/metrics_service.proto ExportMetricsServiceRequest",
} as const;

export type OtlpPath = keyof typeof services;

const types = new Map<OtlpPath, protobuf.Type>();

function typeOf(path: OtlpPath): protobuf.Type {
  const known = types.get(path);
  if (known !== undefined) return known;
  const [file = "", name = ""] = services[path].split(" ");
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => join(vectors, target);
  root.loadSync(`opentelemetry/proto/${file}`);
  const type = root.lookupType(name);
  types.set(path, type);
  return type;
}

/**
 * The request as a message of protobuf, and back: only JSON whose members, types and spelling are those of the protocol
 * returns as it was. Throws for any other.
 */
export function judgeOtlp(path: OtlpPath, sent: object): void {
  const type = typeOf(path);
  const message = type.fromObject(sent);
  assert.equal(type.verify(message), null);
  const back = type.toObject(message, { longs: String, bytes: String });
  assert.deepEqual(withoutDefaults(JSON.parse(JSON.stringify(back))), withoutDefaults(sent));
}

/** protobuf leaves out the members of messages that have the default of their type. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, one]) => !["", "0", 0, false].includes(one));
  return Object.fromEntries(members.map(([name, one]) => [name, withoutDefaults(one)]));
}
