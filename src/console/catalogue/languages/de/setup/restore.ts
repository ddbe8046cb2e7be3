import type { Catalogue } from "../../../words.ts";

export const restoreWords: Catalogue["restore"] = {
  title: "Sicherung wiederherstellen",
  steps: "Schritte der Wiederherstellung",
  stepNames: { file: "Datei", open: "Passphrase", plan: "Änderungen", restart: "Neustart" },
  heads: {
    file: "Die Sicherung",
    open: "Die Sicherung öffnen",
    plan: "Das wird sich ändern",
    restart: "Das Gerät startet neu",
  },
  intro:
    "Benutzer, Einstellungen und alles andere aus der Sicherung ersetzen, was auf diesem Gerät ist. Vor dem letzten Schritt ändert sich nichts.",
  file: "Datei der Sicherung",
  fileHint: "Wählen Sie die Datei aus oder ziehen Sie sie hierher. Ihr Name endet auf .age.",
  send: "An das Gerät senden",
  sending: "Die Datei wird gesendet …",
  asNew: "Stattdessen neu einrichten",
  received: (name, size) => `Das Gerät hat ${name} (${size}) erhalten.`,
  key: "Passphrase der Sicherung",
  keyHint: "Oder der geheime Schlüssel für eine Sicherung, die ein Timer erstellt hat: AGE-SECRET-KEY-1…",
  role: "Dieses Gerät",
  roles: {
    replacement: {
      text: "ersetzt das gesicherte",
      hint: "Es übernimmt Identität, Hostnamen, Zertifikat und API-Token. Das andere darf nie wieder eingeschaltet werden.",
    },
    other: {
      text: "ist ein anderes",
      hint: "Es behält seine eigene Identität. API-Token warten, bis sie hier jemand von der Administration einzeln freigibt.",
    },
  },
  open: "Änderungen zeigen",
  otherFile: "Andere Datei",
  facts: {
    from: "Sicherung von",
    made: "Erstellt",
    users: "Benutzer",
    tokens: "API-Token",
    goes: "Entfernt",
    lacks: "Nicht in der Sicherung",
  },
  users: (count, factors) => `${count}, davon ${factors} mit zweitem Faktor`,
  tokens: (count, isReplacement) =>
    count === 0 || isReplacement ? `${count}` : `${count}, ausgesetzt, bis die Administration sie freigibt`,
  lostUsers: (count) => `${count === 1 ? "1 Benutzer" : `${count} Benutzer`} dieses Geräts`,
  becomes:
    "Dieses Gerät übernimmt Identität, Hostnamen, Zertifikat und API-Token. Laufen beide Geräte, widersprechen sich ihre Ereignisse, und ihre Programme benutzen dieselben Token.",
  staysItself:
    "Dieses Gerät behält seine eigene Identität. Alle melden sich mit dem Passwort aus der Sicherung an.",
  otherIsOff: "Das andere Gerät ist ausgeschaltet und kommt nicht wieder",
  hostFiles:
    "Diese Dateien gehören root und kommen nicht mit. Sie unterscheiden sich von denen des anderen Geräts:",
  byRoot: "Sollen sie mitkommen, stellen Sie die Sicherung stattdessen als root am Gerät wieder her:",
  verb: "Wiederherstellen",
  restarting:
    "Das dauert einige Sekunden. Die Seite macht mit der Anmeldung weiter, sobald das Gerät antwortet.",
  notBack:
    "Geht es nicht weiter, laden Sie diese Seite neu: Das Gerät hat vielleicht jetzt einen anderen Namen, und der Browser fragt möglicherweise nach seinem Zertifikat.",
};
