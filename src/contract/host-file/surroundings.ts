import { path } from "./members.ts";

const file = {
  ...path,
  pattern: "^(/[^\\u0000]*|none)$",
  "x-expected": "an absolute path, or none",
} as const;

/** Those of one client in place of those of `network`, which the documents describe. */
export const ownSurroundings = {
  ca_file: { ...file, examples: ["/etc/steward/branch-ca.pem"] },
  proxy: {
    type: "string",
    "x-expected": "an address such as http://proxy.example.net:3128, without a password, or none",
    examples: ["http://proxy.example.net:3128"],
  },
  client_certificate_file: { ...file, examples: ["/etc/steward/client.pem"] },
} as const;

/** The surroundings of all connections that leave the device; each client may have others. */
export const network = {
  ca_file: {
    ...ownSurroundings.ca_file,
    description:
      "PEM file with certificate authorities that servers may use besides the public ones. Root must own it, like the host file. `update`, `oidc`, `notify`, `telemetry.otlp` and `telemetry.syslog` may each have their own in place of it, or `none`. Time servers do not go by it: who may open TLS on the way is not to set the clock",
  },
  proxy: {
    ...ownSurroundings.proxy,
    description:
      "Proxy for all connections but those to time and name servers, or of each part, as above: `http://host:port`, without a password. It gets CONNECT for all but `http://` addresses, and has to allow the ports",
  },
  client_certificate_file: {
    ...ownSurroundings.client_certificate_file,
    description:
      "PEM file with a certificate of this device, the chain, and the key, for servers that ask for one, or of each part, as above; `root:steward` 0640",
  },
} as const;
