import { path } from "./path.ts";

const file = {
  ...path,
  pattern: "^(/[^\\u0000]*|none)$",
  "x-expected": "an absolute path, or none",
} as const;

const caFile = { ...file, examples: ["/etc/steward/branch-ca.pem"] } as const;

const clientCertificateFile = { ...file, examples: ["/etc/steward/client.pem"] } as const;

const proxy = {
  type: "string",
  "x-expected": "an address such as http://proxy.example.net:3128, without a password, or none",
  examples: ["http://proxy.example.net:3128"],
} as const;

/** The surroundings of all connections that leave the device; each client may have others. */
export const network = {
  ca_file: {
    ...caFile,
    description:
      "PEM file with certificate authorities that servers may use besides the public ones. Root must own it, like the host file. It does not count for time servers: who may open TLS on the way is not to set the clock",
  },
  proxy: {
    ...proxy,
    description:
      "Proxy for connections that leave the device, but for those to time and name servers: `http://host:port`, without a password. It gets CONNECT for all but `http://` addresses, for mail and syslog too, and has to allow their ports",
  },
  client_certificate_file: {
    ...clientCertificateFile,
    description:
      "PEM file with a certificate of this device, the chain, and the key, for servers that ask for one; `root:steward` 0640",
  },
} as const;

/** The same for one client. */
export const ownSurroundings = {
  ca_file: { ...caFile, description: "In place of `network.ca_file`; `none`: the public ones only" },
  proxy: { ...proxy, description: "In place of `network.proxy`; `none`: no proxy" },
  client_certificate_file: {
    ...clientCertificateFile,
    description: "In place of `network.client_certificate_file`; `none`: no certificate",
  },
} as const;
