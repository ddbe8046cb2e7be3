import type { Catalogue } from "../../words.ts";

export const print: Catalogue["print"] = {
  sheet: "Geräteblatt",
  console: "Konsole",
  qr: (address) => `QR-Code der Adresse ${address}`,
  deviceId: "Geräte-ID",
  certificate: "Zertifikat der Konsole (SHA\u2011256)",
  noCertificate: "keines: HTTPS ist aus",
  root: "Vertrauensanker der Updates (SHA\u2011256)",
  noRoot: "nicht installiert",
  support: "Unterstützt bis",
  printed: "Datum dieses Blatts",
  unknown: "nicht bekannt",
};
