import type { Catalogue } from "../../words.ts";

export const passkey: Catalogue["passkey"] = {
  use: "Passkey benutzen",
  refused: "Ihr Browser hat keinen Passkey benutzt:",
};
