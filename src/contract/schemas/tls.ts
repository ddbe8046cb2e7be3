import { partialObject, strictObject, timestamp } from "../shapes.ts";
import { setUp } from "./auth.ts";

const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;
const nullableText = { type: ["string", "null"] } as const;

const certificate = {
  description: "the one that HTTPS shows; null: none",
  ...strictObject({
    source: { type: "string", enum: ["self_made", "installed"] },
    installed: { ...nullableText, description: "its name in the directory of certificates" },
    subject: text,
    issuer: text,
    names: { ...texts, description: "host names that it is for" },
    addresses: { ...texts, description: "IP addresses that it is for" },
    not_before: timestamp,
    not_after: timestamp,
    pem: { ...text, description: "the certificate itself, and those between it and an authority" },
    fingerprint: { ...text, description: "SHA-256 of the certificate, as browsers show it" },
    public_key_pin: {
      ...text,
      description: "as `curl --pinnedpubkey` takes it; it stays when the device makes its certificate anew",
    },
  }),
  type: ["object", "null"],
} as const;

export const tls = strictObject({
  enabled: { type: "boolean", description: "as the host file says" },
  enabling: {
    type: "string",
    enum: ["open", "decided", "unavailable"],
    description:
      "`open`: an administrator can switch it on; `decided`: root has decided in the host file; `unavailable`: there is no root helper",
  },
  listening: { type: "boolean" },
  urls: { ...texts, description: "what people type, by the certificate's names and addresses" },
  redirects_from: {
    type: ["integer", "null"],
    description: "port of plain HTTP that redirects to HTTPS; null: none",
  },
  problem: { ...nullableText, description: "why it does not listen, and what to do" },
  certificate,
  refused: {
    type: "array",
    description: "installed certificates that cannot be used",
    items: strictObject({ name: text, detail: { ...text, description: "why, and what to do" } }),
  },
});

/** The token is root's, for a request that does not come from the device. */
export const tlsRequest = partialObject({ setup_token: setUp.properties.setup_token });

export const reloaded = strictObject({
  changed: { ...texts, description: "members of the host file whose new values are in use" },
  needs_restart: { ...texts, description: "members whose new values wait for a restart" },
  tls,
});

/** The names of these shapes in the OpenAPI document. */
export const tlsShapes = () =>
  ({ Tls: tls, TlsRequest: tlsRequest, TlsCertificate: certificate, Reloaded: reloaded }) as const;

const off = {
  enabled: false,
  enabling: "open",
  listening: false,
  urls: [],
  redirects_from: null,
  problem: null,
  certificate: null,
  refused: [],
};

export const tlsExamples = {
  TlsRequest: { setup_token: "abcde-fghjk-mnpqr-stuvw" },
  Tls: off,
  Reloaded: { changed: [], needs_restart: [], tls: off },
};
