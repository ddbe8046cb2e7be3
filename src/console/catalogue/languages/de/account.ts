import type { Catalogue } from "../../words.ts";
import { enrolmentWords } from "./copied/enrolment.ts";
import { personWords } from "./copied/person.ts";

export const person = personWords;
export const enrolment = enrolmentWords;

export const account: Catalogue["account"] = {
  welcome: "Sie sind jetzt Administrator dieses Geräts. Richten Sie unten einen zweiten Faktor ein.",
  lostRemoved:
    "Ihr verlorener Authenticator und seine Wiederherstellungscodes wurden entfernt. Bis Sie unten einen anderen einrichten, melden Sie sich nur mit Ihrem Passwort an.",
  ofProvider: "Sie melden sich beim Anbieter an. Dort liegen Passwort, zweiter Faktor, Name und Rolle.",
  signIn: "Anmeldung",
  you: "Sie",
  displayNameHint: "So sehen andere Sie in Listen. Das Feld darf leer bleiben",
  passwordText: "Wenn Sie es ändern, enden Ihre anderen Sitzungen.",
  oneUsePassword: "Das Einmalpasswort ist verbraucht. Wählen Sie jetzt ein eigenes.",
  presentPassword: "Bisheriges Passwort",
  presentOneUse: "Einmalpasswort",
  changePassword: "Passwort ändern",
  passwordChanged: "Passwort geändert. Ihre anderen Sitzungen sind beendet.",
  enrol: "Zweiten Faktor einrichten",
  steps: "Schritte",
  enrolmentSteps: { password: "Passwort", authenticator: "Authenticator", codes: "Wiederherstellungscodes" },
  on: "ein",
  since: "Eingeschaltet",
  codesLeft: "Übrige Wiederherstellungscodes",
  fewCodes: (count) => `${count}: neue erzeugen`,
  renewCodes: "Neue Wiederherstellungscodes erzeugen",
  renewCodesText: "Die alten gelten sofort nicht mehr.",
  lost: "Authenticator ersetzen",
  lostText:
    "Ein Wiederherstellungscode entfernt den bisherigen Authenticator, und Ihre anderen Sitzungen enden. Danach richten Sie einen anderen ein.",
  removeLost: "Den bisherigen entfernen",
  remove: "Ausschalten",
  removeTitle: "Zweiten Faktor ausschalten",
  removeText:
    "Danach melden Sie sich nur mit Ihrem Passwort an. Ihre anderen Sitzungen enden, Ihre Wiederherstellungscodes gelten nicht mehr.",
  removed: "Der zweite Faktor wurde entfernt.",
  requiredByPolicy: "Dieses Gerät verlangt einen zweiten Faktor. Sie können den Authenticator ersetzen.",
  passkeys: "Passkeys",
  passkeysText:
    "Ein Passkey meldet Sie ohne Code an. Er gilt unter einem Namen dieses Geräts, Ihre Codes unter allen.",
  addPasskey: "Passkey hinzufügen",
  addPasskeyText:
    "Ihr Browser fragt, welcher es sein soll: einer dieses Telefons oder Computers, eines anderen Telefons, oder ein Sicherheitsschlüssel.",
  passkeyNameHint: "Woran Sie ihn erkennen; höchstens 64 Zeichen",
  added: "Hinzugefügt",
  passkeyAdded: "Der Passkey wurde hinzugefügt.",
  removePasskeyTitle: (name) => `Passkey ${name} entfernen`,
  removePasskeyText: "Er meldet Sie hier nicht mehr an. Löschen Sie ihn auch dort, wo er gespeichert ist.",
  passkeyRemoved: "Der Passkey wurde entfernt.",
  tokensText:
    "Mit einem Token handelt ein Programm in Ihrem Namen, innerhalb der Rechte des Tokens und Ihrer Rolle.",
  token: "Token",
  createToken: "Token erzeugen",
  purpose: "Rechte wählen für",
  purposes: {
    monitoring: "Überwachung",
    fleet: "Zustand einer Flotte",
    records: "Protokoll und Ereignisse",
    updates: "Updates",
  },
  tokenNameHint: "Wofür er gebraucht wird",
  scopesTitle: "Rechte",
  chooseScope: "Wählen Sie mindestens ein Recht",
  days: (count) => (count === 1 ? "nach 1 Tag" : `nach ${count} Tagen`),
  tokenMade: "Geben Sie ihn jetzt dem Programm: Er wird nur dieses eine Mal angezeigt.",
  recipes: "So benutzt ihn ein Programm",
  saveToken:
    "Speichern Sie ihn in einer Datei, die nur Sie lesen können: Führen Sie diese Zeile aus, fügen Sie ihn ein, und drücken Sie die Eingabetaste, dann Strg-D.",
  firstRequest: "Eine erste Anfrage:",
  prometheus:
    "Für Prometheus speichern Sie ihn neben prometheus.yml, als der Benutzer, unter dem Prometheus läuft, und fügen dort diesen Abschnitt ein:",
  prometheusCertificate:
    "Holen Sie das Zertifikat in dasselbe Verzeichnis; es bleibt nur, wenn sein Fingerabdruck stimmt:",
};
