export const upload = {
  hint: "A tar of the publisher’s repository, as “steward-publisher export” makes it. Choose the file, or drop it here. The device verifies it like a server’s files: it does not matter who carried it.",
  file: "File with updates",
  progress: "Sending the file",
  checking: "The file is on the device. It is being checked.",
  good: "The file was checked. What it has for this device is shown above.",
  failed: "The file was not accepted.",
};
