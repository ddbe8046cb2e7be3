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
 * The request in protobuf's form, and back: only JSON whose members, types and spelling are those of the protocol returns as
 * it was. Throws for any other. Returns the bytes of the same request in protobuf's own encoding.
 */
export function judgeOtlp(path: OtlpPath, sent: object): Uint8Array {
  const type = typeOf(path);
  const bytes = type.encode(type.fromObject(sent)).finish();
  const back = type.toObject(type.decode(bytes), { longs: String, bytes: String });
  assert.deepEqual(JSON.parse(JSON.stringify(back)), sent);
  return bytes;
}
