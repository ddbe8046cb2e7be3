import type { Catalogue } from "../../words.ts";

export const adding: Catalogue["adding"] = {
  another: "Noch jemanden anlegen",
  accessFor: (username) => `Zugang für ${username}`,
  accessOf: ([first = "", ...rest]) =>
    rest.length === 0 ? `Zugang für ${first}` : `Zugang für ${rest.length + 1} Personen`,
  once: (username) =>
    `Geben Sie das an ${username} weiter: Das Passwort gilt für eine Anmeldung, bei der ein neues gewählt wird. Es wird nicht noch einmal angezeigt; geht es verloren, setzen Sie das Passwort zurück.`,
  onceEach:
    "Geben Sie jeder Person ihre Karte: Das Passwort gilt für eine Anmeldung, bei der ein neues gewählt wird. Die Passwörter werden nicht noch einmal angezeigt.",
  typed: (username) => `${username} kann sich mit dem Passwort anmelden, das Sie eingegeben haben.`,
  device: "Gerät",
  address: "Adresse",
  oneUse: "Einmalpasswort",
  agreed: "wie vereinbart",
  qr: (address) => `QR-Code der Adresse ${address}`,
  steps: "Adresse öffnen und anmelden.",
  stepsOnce: "Adresse öffnen, anmelden und ein eigenes Passwort wählen.",
};
