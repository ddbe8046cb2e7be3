import type { Catalogue } from "../../../words.ts";

/** The address of this page on paper. */
export const wayIn: Catalogue["wayIn"] = {
  qrOf: (address) => `QR-Code der Adresse ${address}`,
  onlyHere: "Die Adresse dieser Seite gilt nur auf diesem Computer. Für andere öffnet root HTTPS:",
};
