/** Rules are a bundle for the appliance's engine; a binary is a release of the appliance's service, or of Steward. */
export const updateKinds = ["rules", "binary"] as const;

/** The directory in which updates are looked for by hand. */
export const repositoryDirectory = {
  type: "string",
  pattern: "^file:///[^?#]*$",
  maxLength: 4096,
  "x-expected": "the file:/// address of a directory, such as file:///mnt/stick",
  description: "a directory instead of the server, such as a USB stick; from the device itself alone",
} as const;
