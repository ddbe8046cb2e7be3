export const print = {
  sheet: "Device sheet",
  console: "Console",
  qr: (address: string) => `QR code of the address ${address}`,
  deviceId: "Device id",
  certificate: "Certificate of the console (SHA-256)",
  noCertificate: "none: HTTPS is off",
  root: "Root of trust of updates (SHA-256)",
  noRoot: "not installed",
  support: "Support until",
  printed: "Date of this sheet",
  unknown: "not known",
};
