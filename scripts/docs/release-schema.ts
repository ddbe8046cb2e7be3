import { updateKinds } from "../../src/contract/update-kinds.ts";
import {
  architectures,
  channelPattern,
  customForm,
  maximumNotes,
  maximumSteps,
  maximumText,
  maximumWaveSeconds,
  namePattern,
  targetPathPattern,
} from "../../src/releases/release-format.ts";
import { longestVersion, versionPattern } from "../../src/releases/semver.ts";
import { caps } from "../../src/tuf/caps.ts";

/* The form of a release as a JSON Schema, for people who publish with other tools: no program reads it. */

const version = { type: "string", maxLength: longestVersion, pattern: versionPattern.source } as const;
/** The same as `unprintable`, in ranges that every reader of JSON Schema supports; not all support \\p{…}. */
const printable =
  "^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069]*$";
const text = { type: "string", maxLength: maximumText, pattern: printable } as const;
const name = { type: "string", pattern: namePattern.source } as const;

/**
 * JSON Schema (2020-12) of a target's `custom`. Other members are ignored. Rules that it cannot express: the target's
 * path is `<channel>/<kind>/<file name>`, `floor` is not above `version`, `waves.start` is an existing day, the steps
 * of `waves` rise to 100 percent without going back in time, `more_notes` have at most 4000 characters in all, and
 * characters beyond U+FFFF count twice.
 */
export const customSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "`custom` of a TUF target that is a release for Steward",
  type: "object",
  required: ["steward", "kind", "name", "version", "channel", "product", "arch"],
  properties: {
    steward: { const: customForm, description: "the version of this form" },
    kind: { type: "string", enum: updateKinds },
    name: { ...name, description: "of the rules, or of the product" },
    version: { ...version, description: "semantic version (2.0.0)" },
    channel: { type: "string", pattern: channelPattern.source, description: "the first part of the path" },
    product: { ...name, description: "the devices that it is for: `product` of their host file" },
    arch: { type: "string", enum: architectures, description: "`any`, or as Node names the processor" },
    min_agent: { ...version, description: "the oldest Steward that can apply it" },
    floor: {
      ...version,
      description: "no version of this kind and name below it may be installed any more; not above `version`",
    },
    urgent: { type: "boolean", description: "waits for no wave and no window" },
    security: { description: "true: it mends a weakness; for people and tools, devices go by `floor`" },
    withdrawn: { ...text, description: "why the publisher took it back; it is then not installed any more" },
    notes: { ...text, description: "for people" },
    more_notes: {
      type: "array",
      maxItems: maximumNotes.lines,
      items: { ...text, maxLength: maximumNotes.line },
      description: "further lines of the notes, as Markdown; the first line is `notes`",
    },
    waves: {
      type: "object",
      required: ["start", "steps"],
      description: "how it spreads over all devices; left out: to all of them at once",
      properties: {
        start: {
          type: "string",
          pattern: "^[0-8]\\d{3}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$",
          description: "UTC, such as 2026-11-20T12:00:00Z",
        },
        steps: {
          type: "array",
          minItems: 1,
          maxItems: maximumSteps,
          items: {
            type: "object",
            required: ["percent", "after_seconds"],
            properties: {
              percent: { type: "integer", minimum: 1, maximum: 100, description: "of all devices together" },
              after_seconds: { type: "integer", minimum: 0, maximum: maximumWaveSeconds },
            },
          },
          description: "in rising order; the last one has 100 percent",
        },
      },
    },
  },
} as const;

const { $schema, ...custom } = customSchema;

/**
 * JSON Schema of a whole target: an entry of `targets` in the metadata, and `path`, its name there. It is in
 * docs/updates/release.schema.json.
 */
export const targetSchema = {
  $schema,
  title: "A TUF target that is a release for Steward, with its path",
  type: "object",
  required: ["path", "length", "hashes", "custom"],
  properties: {
    path: {
      type: "string",
      pattern: targetPathPattern.source,
      description: "<channel>/<kind>/<file name>, as custom has them",
    },
    length: { type: "integer", minimum: 1, maximum: caps.payloadBytes, description: "bytes of the payload" },
    hashes: {
      type: "object",
      description: "of the payload, in lower-case hex; all that are known are checked",
      properties: {
        sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
        sha512: { type: "string", pattern: "^[0-9a-f]{128}$" },
      },
      additionalProperties: { type: "string", pattern: "^[0-9a-f]+$" },
      anyOf: [{ required: ["sha512"] }, { required: ["sha256"] }],
    },
    custom,
  },
} as const;
