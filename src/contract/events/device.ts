import { clockTrusts, clockWords } from "../clock-states.ts";
import { damageKinds, replacements } from "../findings.ts";
import { needCodes } from "../need-areas.ts";
import { timestamp } from "../shapes.ts";
import {
  count,
  detail,
  type EventRows,
  flag,
  nullableText,
  operations,
  refusal,
  refused,
  security,
  sometimes,
  text,
  texts,
  unheard,
  updateKind,
} from "./row.ts";

const need = {
  need: { type: "string", enum: needCodes },
  level: { type: "string", enum: ["attention", "failing"] },
  reason: sometimes({ type: "string", description: "code of the health check that found it" }),
  ...{ kind: sometimes(updateKind), name: sometimes(text), version: sometimes(text) },
  ...{ count: sometimes(count), hostname: sometimes(text), missing: sometimes(text) },
  word: sometimes({ type: "string", enum: clockWords, description: "the clock in a word" }),
  trust: sometimes({ type: "string", enum: clockTrusts, description: "of the clock" }),
  ...{ first_ends_at: sometimes(timestamp), support_until: sometimes(text) },
  unit: sometimes({ ...text, description: "of the product, which reports it by the code `name`" }),
  ...{ en: sometimes(text), de: sometimes(text) },
  detail: sometimes({ type: "string", description: "the publisher's reason" }),
} as const;

/** Settings, the host, the state, needs, and requests that were refused. */
export const deviceEvents = {
  "settings.changed": operations("of_safeguard", ["settings", "clock", "updates"], {
    changed: { ...texts, description: "keys of the settings" },
  }),
  "backup.made": security("unless_root", ["device"], {
    bytes: { ...count, description: "of the file" },
    recipients: { ...count, description: "that can open it; 0: it opens with a passphrase" },
  }),
  "notify.secret_set": security("at_once", [], { name: { ...text, description: "of the receiver" } }),
  "configuration.applied": security("never", ["sessions", "tokens", "settings"], {
    changes: {
      ...count,
      description: "users, API tokens and settings that were changed; each has its own event",
    },
    is_resumed: sometimes({
      ...flag,
      description: "true: it was interrupted, and the agent finished it at its next start",
    }),
  }),
  "host_file.read": unheard(["settings", "clock", "updates", "device"], {
    changed: { ...texts, description: "members whose new values are in use" },
    needs_restart: { ...texts, description: "members whose new values wait for a restart" },
  }),
  "host_file.refused": unheard(["health"], { detail: { ...text, description: "why, and what to do" } }),
  "https.enabled": security("always", [], {
    because: {
      type: "string",
      enum: ["from_device", "after_setup", "token_of_root"],
      description: "the request came from the device, soon after its setup, or with a token of root's",
    },
  }),
  "https.certificate_changed": unheard(["health"], {
    installed: {
      ...nullableText,
      description: "its name in the directory of certificates; null: the device's own",
    },
    fingerprint: { ...text, description: "SHA-256, as browsers show it" },
    ends_at: timestamp,
  }),
  "https.certificate_refused": unheard(["health"], {
    name: { ...text, description: "in the directory of certificates" },
    detail: { ...text, description: "why, and what to do" },
  }),
  "host.changed": unheard(["device"], {
    ...{ host_name: sometimes(text), host_name_before: sometimes(text) },
    ...{ time_zone: sometimes(text), time_zone_before: sometimes(text) },
  }),
  "host.reboot_requested": unheard([], { force: flag }),
  "host.power_off_requested": unheard([], { force: flag }),
  "host.reset_requested": operations("at_once", [], {}),
  "host.reset": unheard(["device"], {}),
  "host.identity_changed": unheard(["device"], {
    former_device_id: text,
    sessions_ended: count,
    tokens_ended: count,
    two_factor_resealed: { ...count, description: "authenticator secrets that were sealed with a new key" },
  }),
  "host.restored": unheard(["device"], {
    from: { ...text, description: "the name of the device of the backup" },
    made_at: timestamp,
    as_replacement: flag,
    former_device_id: text,
  }),
  "state.damage_found": unheard(["health"], {
    document: text,
    damage: { type: "string", enum: damageKinds },
    replacement: { type: "string", enum: replacements },
    is_loss: { type: "boolean", description: "something that was there is missing, or may be" },
    detail,
  }),
  "state.damage_accepted": unheard(["health"], { document: text, damages: texts, findings: texts }),
  "need.began": operations("as_need", [], need),
  "need.ended": operations("as_need", [], need),
  "request.refused": refusal([], refused),
} as const satisfies EventRows;
