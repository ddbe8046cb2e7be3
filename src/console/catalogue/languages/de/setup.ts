import { sourceWords } from "../../../../contract/words/de/clock.ts";
import type { Catalogue } from "../../words.ts";
import { enrolmentWords } from "./copied/enrolment.ts";
import { personWords } from "./copied/person.ts";

export const enrolment = enrolmentWords;
export const person = personWords;

/** Texts of the restoring of a backup. */
export const restore: Catalogue["restore"] = {
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
  noBackup: "Diese Datei ist keine Sicherung von Steward.",
  fileHint: "Wählen Sie die Datei aus oder ziehen Sie sie hierher. Ihr Name endet auf .age.",
  send: "An das Gerät senden",
  sending: "Die Datei wird gesendet …",
  asNew: "Stattdessen neu einrichten",
  received: (name, size) => `Das Gerät hat ${name} (${size}) erhalten.`,
  key: "Passphrase der Sicherung",
  keyHint: "Oder der geheime Schlüssel für eine Sicherung, die ein Timer erstellt hat: AGE-SECRET-KEY-1…",
  roles: {
    replacement: {
      text: "ersetzt das gesicherte",
      hint: "Es übernimmt Identität, Hostnamen, Zertifikat und API-Token. Das andere darf nie wieder eingeschaltet werden.",
    },
    other: {
      text: "ist ein anderes",
      hint: "Es behält seine eigene Identität. API-Token warten, bis ein Administrator sie hier einzeln freigibt.",
    },
  },
  open: "Änderungen zeigen",
  otherFile: "Andere Datei",
  facts: {
    from: "Sicherung von",
    made: "Erstellt",
    tokens: "API-Token",
    goes: "Entfernt",
    lacks: "Nicht in der Sicherung",
  },
  users: (count, factors) => `${count}, davon ${factors} mit zweitem Faktor`,
  tokens: (count, isReplacement) =>
    count === 0 || isReplacement ? `${count}` : `${count}, ausgesetzt, bis ein Administrator sie freigibt`,
  lostUsers: (count) => `${count === 1 ? "1 Benutzer" : `${count} Benutzer`} dieses Geräts`,
  becomes:
    "Dieses Gerät übernimmt Identität, Hostnamen, Zertifikat und API-Token. Lassen Sie nicht beide laufen: Ihre Programme benutzen dieselben Token.",
  staysItself:
    "Dieses Gerät behält seine eigene Identität. Alle melden sich mit dem Passwort aus der Sicherung an.",
  otherIsOff: "Das andere Gerät ist ausgeschaltet und bleibt es",
  hostFiles:
    "Diese Dateien gehören root und werden nicht übernommen. Sie unterscheiden sich von denen des anderen Geräts:",
  byRoot: "Um sie zu übernehmen, stellen Sie die Sicherung stattdessen als root am Gerät wieder her:",
  verb: "Wiederherstellen",
  restarting:
    "Das dauert einige Sekunden. Die Seite geht mit der Anmeldung weiter, sobald das Gerät antwortet.",
  notBack:
    "Geht es nicht weiter, laden Sie diese Seite neu: Das Gerät heißt jetzt vielleicht anders, und der Browser fragt nach seinem Zertifikat.",
};

export const firstRun: Catalogue["firstRun"] = {
  title: "Dieses Gerät einrichten",
  intro:
    "Dieses Gerät hat noch keine Benutzer. Legen Sie den ersten Administrator an, mit einem Passwort, das nur Sie kennen.",
  rescue:
    "Legen Sie einen Administrator an, oder setzen Sie einem vorhandenen ein neues Passwort. Das beendet die Sitzungen und entfernt den zweiten Faktor und die API-Token.",
  token: "Einrichtungs-Token",
  tokenHint: "Auf dem Gerät zeigt ihn der Befehl steward setup-token.",
  tokenOfLink: "Der Einrichtungs-Token kam mit dem Link",
  yourName: "Ihr Name",
  yourNameHint: "Wie andere ihn sehen, etwa Ana Müller",
  alreadyDone: "Dieses Gerät hat schon einen Administrator. Melden Sie sich an.",
  submit: "Administrator anlegen",
  restore: "Stattdessen eine Sicherung wiederherstellen",
  raceLost: "Dieses Gerät hat schon einen Administrator",
  raceLostText:
    "Inzwischen hat jemand anderes das Gerät eingerichtet; Ihr Konto gibt es nicht. Bitten Sie den Administrator um eines.",
  steps: "Schritte der Einrichtung",
  stepNames: { password: "Passwort", factor: "Zweiter Faktor", device: "Gerät", updates: "Updates" },
  heads: {
    password: "Der erste Administrator",
    factor: "Ein zweiter Faktor für Ihr Konto",
    device: "Dieses Gerät und seine Uhr",
    updates: "Updates",
    done: "Dieses Gerät ist eingerichtet",
  },
  leftForLater: (steps) => `Für später: ${steps}. Die Startseite erinnert Sie daran.`,
  sheetText:
    "Drucken Sie dieses Blatt für Ihre Unterlagen: Es sagt, wie Sie das Gerät erreichen und erkennen.",
  codesApart: (username) =>
    `Die Wiederherstellungscodes für ${username} stehen auf einem eigenen Blatt. Bewahren Sie es getrennt von diesem auf.`,
  theirs: (value) => `Ein anderer Administrator hat soeben gespeichert: ${value}.`,
  finish: "Fertigstellen",
  back: "Zurück",
  notNeeded: "Hier nicht nötig",
  showQr: "QR-Code anzeigen",
  factorOn: (codes) =>
    codes === 1 ? "an, mit noch 1 Wiederherstellungscode" : `an, mit noch ${codes} Wiederherstellungscodes`,
  deviceNameHint: "Wie dieses Gerät genannt wird, etwa Filiale Hamburg",
  language: "Sprache",
  languageHint: "Für alle, die in ihrem Browser keine andere Sprache gewählt haben",
  timeZone: "Zeitzone",
  timeZoneHint: "Nach ihr richten sich die Update-Fenster. Laufende Programme zeigen sie nach einem Neustart",
  zoneOfBrowser: (zone) => `Die dieses Browsers verwenden: ${zone}`,
  servers: "Zeitserver",
  serversHint:
    "Ein Name oder eine Adresse, mit Port, wenn es nicht der übliche ist. Vier sind eine gute Zahl.",
  serverOf: (place) => `Server ${place}`,
  useAuthenticated: (place) => `Server ${place}: authentifizierte Zeit verwenden (NTS)`,
  offered: (servers) => `Die des Netzes verwenden: ${servers}`,
  addServer: "Server hinzufügen",
  removeServer: (server) => `${server} entfernen`,
  testServers: "Noch einmal prüfen",
  asking: "Die Server werden gefragt …",
  answering: (count, of) => `${count} von ${of} ${count === 1 ? "antwortet" : "antworten"}.`,
  agreeing: (count) => `${count} stimmen überein.`,
  noneAgrees: "Ihre Zeit ist nicht verwendbar.",
  answersIn: (delay) => `antwortet in ${delay}`,
  sourceReasons: sourceWords.reasons,
  byDaemon: (program) => `${program} stellt diese Uhr, mit eigenen Servern`,
  updatesText: "Diese Angaben haben Sie vom Herausgeber Ihrer Updates.",
  server: "Update-Server",
  serverHint: "Sie beginnt mit https://",
  channel: "Kanal",
  channelHint: "Die Versionen des Herausgebers für diese Gruppe von Geräten, etwa stable oder beta",
  regularly: "Regelmäßig nach Updates suchen",
  fingerprint: "Fingerabdruck vom Herausgeber",
  fingerprintHint: "64 Ziffern und Buchstaben, gleich in welchen Gruppen",
  sameFingerprint: "Er stimmt überein.",
  otherFingerprint:
    "Brechen Sie hier ab: Dieses Gerät hat einen anderen Fingerabdruck. Prüfen Sie Ihre Eingabe, oder wählen Sie Später und fragen Sie Ihren Herausgeber.",
  trusted: (by) => `vertraut: ${by} hat den Fingerabdruck bestätigt`,
  noRoot:
    "Der Vertrauensanker ist noch nicht installiert. Führen Sie dies als root auf dem Gerät aus, und vergleichen Sie dann den Fingerabdruck:",
  scan: "Fingerabdruck scannen",
  holdCode: "Halten Sie den QR-Code des Herausgebers vor die Kamera.",
  noFingerprint: "Dieser Code enthält keinen Fingerabdruck.",
  noCamera:
    "Die Kamera funktioniert nicht. Erlauben Sie sie im Browser, oder fügen Sie den Fingerabdruck ein.",
};
