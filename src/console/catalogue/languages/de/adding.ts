import { nameRules } from "../../../../contract/shapes.ts";
import type { Catalogue } from "../../words.ts";
import { wayInWords } from "./copied/way-in.ts";

export const wayIn = wayInWords;

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
  steps: "Adresse öffnen und anmelden.",
  stepsOnce: "Adresse öffnen, anmelden und ein eigenes Passwort wählen.",
  several: "Mehrere anlegen",
  addMany: (count) =>
    count === 0 ? "Personen anlegen" : count === 1 ? "1 Person anlegen" : `${count} Personen anlegen`,
  back: "Zurück zur Liste",
  file: "Datei",
  fileHint: "CSV, auch irgendwo auf dieser Seite abgelegt",
  lines: "Zeilen",
  check: "Prüfung der Zeilen",
  linesHint:
    "Eine Person in jeder Zeile: Benutzername, Anzeigename, Rolle. Ohne Rolle ist sie Leser. Die erste Zeile darf die Spalten benennen, wie in einer hier exportierten Liste.",
  unused: "Nicht verwendet:",
  correctFirst: "Einige Zeilen müssen zuerst berichtigt werden.",
  noText: "Keine lesbare Liste. Wählen Sie die Datei neu aus, oder speichern Sie die Tabelle als CSV",
  tooMany: (most) => `Höchstens ${most} Personen werden auf einmal angelegt`,
  checked: ({ fresh, known, faulty }) =>
    `${faulty > 0 ? `Zuerst zu berichtigen: ${faulty}. Danach anzulegen` : "Anzulegen"}: ${fresh}.${known > 0 ? ` Übersprungen, da es den Benutzernamen schon gibt: ${known}.` : ""}`,
  isKnown: "gibt es schon",
  faults: {
    username: `Benutzername: 3 bis 32 aus a–\u2060z, 0–\u20609, Punkt, Unterstrich, Bindestrich; am Anfang ein Buchstabe, am Ende kein Satzzeichen; ${nameRules.noPerson.join(", ")} sind reserviert`,
    display_name: "Anzeigename: höchstens 64 Zeichen, in einer Zeile",
    role: "Rolle: admin, operator oder readonly",
    enabled: "Aktiviert: true oder false",
    twice: "Eine frühere Zeile hat diesen Benutzernamen",
    quote: "Ein Anführungszeichen ist nicht geschlossen",
    cells: "Mehr Zellen als Spalten",
  },
};
