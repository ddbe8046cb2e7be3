export const print = {
  sheet: "Device sheet",
  console: "Console",
  qr: (address: string) => `QR code of the address ${address}`,
  deviceId: "Device id",
  certificate: "Certificate of the console (SHA\u2011256)",
  noCertificate: "none: HTTPS is off",
  root: "Root of trust of updates (SHA\u2011256)",
  noRoot: "not installed",
  support: "Support until",
  printed: "Date of this sheet",
  unknown: "not known",
};
