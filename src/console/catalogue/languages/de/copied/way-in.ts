import type { Catalogue } from "../../../words.ts";

/** The address of this page on paper. */
export const wayInWords: Catalogue["wayIn"] = {
  qrOf: (address) => `QR-Code der Adresse ${address}`,
  onlyHere: "Nur auf diesem Computer: HTTPS ist aus (System, Dieses Gerät)",
};
