/** OTLP 1.11's JSON: names in lowerCamelCase, integers of 64 bits as decimal strings, enumerations as numbers. */
export type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

/** A value of an attribute; null: the attribute is left out. */
export type Attribute = string | number | boolean | bigint | null | readonly string[];

/** In the members' order. A `number` becomes a double, for it is a fraction elsewhere; a `bigint` an integer. */
export function attributesOf(members: Readonly<Record<string, Attribute>>) {
  return Object.entries(members).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value: anyValueOf(value) }],
  );
}

function anyValueOf(value: Exclude<Attribute, null>): AnyValue {
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "bigint") return { intValue: String(value) };
  if (typeof value === "number") return { doubleValue: value };
  if (typeof value === "string") return { stringValue: value };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

/** Nanoseconds since 1970 of milliseconds. A clock before 1970 counts as 1970: the type has no sign. */
export function nanoseconds(milliseconds: number): string {
  return String(BigInt(Math.max(0, Math.round(milliseconds))) * 1_000_000n);
}

/** This program on this device, as the semantic conventions name the attributes of a resource. */
export interface Resource {
  readonly version: string;
  readonly deviceId: string;
  /** As an administrator has named the device; null: not. */
  readonly deviceName: string | null;
  readonly hostName: string;
  readonly product: string;
}

export function resourceOf({ version, deviceId, deviceName, hostName, product }: Resource) {
  return {
    attributes: attributesOf({
      "service.name": "steward",
      "service.version": version,
      "service.instance.id": deviceId,
      "host.name": hostName,
      "os.type": "linux",
      "steward.device.name": deviceName,
      "steward.product": product,
    }),
  };
}

export function scopeOf({ version }: Resource) {
  return { name: "steward", version };
}
