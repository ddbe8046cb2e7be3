/** `make api-examples`: records the examples of the OpenAPI document from a walk over the API. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ShapeName, shapes } from "../../src/contract/openapi/shapes.ts";
import { operationOf } from "../../src/contract/operations.ts";
import { type Recorded, walk } from "./examples-walk.ts";

export type Examples = Partial<Record<ShapeName, unknown>>;

const root = join(import.meta.dirname, "../..");
const path = join(root, "src/contract/openapi/examples.json");

/** The first value of each shape that was sent or answered, without what differs from run to run. */
export function examplesOf(recorded: readonly Recorded[]): Examples {
  const examples: Examples = {};
  const steady = createSteady();
  const keep = (schema: object | undefined, value: unknown): void => {
    const name = (Object.keys(shapes) as ShapeName[]).find((one) => shapes[one] === schema);
    const shown = steady(value, "");
    if (name !== undefined && value !== undefined) examples[name] ??= shown;
  };
  for (const { id, body, answer } of recorded) {
    const operation = operationOf(id);
    keep(operation.body, body);
    keep(operation.response.schema, answer);
  }
  return examples;
}

/** Members whose values are secrets, or are of the run or of the host that it is made on; in their place stand these. */
const ofOneRun: Readonly<Record<string, unknown>> = {
  password: "six kettles below a lamp",
  current_password: "six kettles below a lamp",
  new_password: "four gulls beside a crane",
  access_token: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3JfIn0.MEYCIQ",
  refresh_token: "q1Zr8sWcVxkT3n0yBhGmUw",
  setup_token: "Zk3vX9qLr0TnWb5yHs2JcA",
  challenge_token: "n4Pq7RkDs1Vt6XyBw0LmZg",
  token: "stw_4vJ2mQx9LrTn7WbYc0Hs5Z",
  secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
  otpauth_uri: "otpauth://totp/pump-7:carol?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=pump-7",
  qr_svg: '<svg xmlns="http://www.w3.org/2000/svg"/>',
  code: "287082",
  recovery_code: "K7Q2-M9XD-4TVB",
  recovery_codes: ["K7Q2-M9XD-4TVB", "P3RW-8HJN-6YCE"],
  initial_password: "otter-lamp-seven-quarry",
  request_id: "bX2kQ9vy-1f",
  device_id: "0".repeat(32),
  boot_id: "4d9e6a2c-7f10-4b83-9c5e-2a6f8d013b7e",
  hash: "a".repeat(64),
  previous_hash: "0".repeat(64),
  hostname: "pump-7",
  host_name: "pump-7",
  device_name: "pump-7",
  time_zone: "Europe/Berlin",
  version: "1.0.0",
  node: "v24.4.1",
  os: "Debian GNU/Linux 13",
  kernel: "6.12.38",
  arch: "arm64",
  manufacturer: "Example",
  model: "Pump 7",
  cores: 4,
  memory: { total_bytes: 4e9, available_bytes: 3e9, swap_total_bytes: 0, swap_free_bytes: 0 },
  disk: { path: "/var", size_bytes: 32e9, available_bytes: 25e9 },
  disks: [{ mount: "/", type: "ext4", size_bytes: 32e9, available_bytes: 25e9 }],
  load: [0.1, 0.2, 0.1],
  temperatures: [{ sensor: "cpu", celsius: 41.5 }],
  temperature_celsius: 41.5,
  uptime_seconds: 86_400,
  server_time: "2026-11-20T08:00:00.000Z",
  time: "2026-11-20T08:00:00.000Z",
  duration_ms: 12.5,
  cursor: "WyJhbGljZSJd",
  next_cursor: "WyJhbGljZSJd",
  rtc: "2026-11-20T08:00:00.000Z",
};

/** Of a list the first item is enough. */
const keptWhole = ["load", "recovery_codes", "servers", "scopes"];

type Steady = (value: unknown, member: string) => unknown;

/** Ids get numbers in the order in which they are seen. */
function createSteady(): Steady {
  const ids = new Map<string, string>();
  const idFor = (id: string): string => {
    const [kind = ""] = id.split("_");
    const known = ids.get(id) ?? `${kind}_${String(ids.size + 1).padStart(32, "0")}`;
    ids.set(id, known);
    return known;
  };
  const steady: Steady = (value, member) => {
    const isCode = member === "code" && !/^\d{6}$/.test(String(value));
    // `time` is a part of the settings as well.
    const isAlike = value !== null && typeof value === typeof ofOneRun[member];
    if (isAlike && !isCode) return ofOneRun[member];
    if (typeof value === "string") return value.replace(/\b(usr|ses|tok)_[0-9a-f]{32}\b/g, idFor);
    if (Array.isArray(value)) {
      const kept = keptWhole.includes(member) ? value : value.slice(0, 1);
      return kept.map((one) => steady(one, ""));
    }
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, steady(one, name)]));
  };
  return steady;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(path, `${JSON.stringify(examplesOf(await walk()), null, 2)}\n`);
  execFileSync(join(root, "node_modules/.bin/biome"), ["format", "--write", path], { stdio: "ignore" });
  console.log(`${path}: written`);
}
