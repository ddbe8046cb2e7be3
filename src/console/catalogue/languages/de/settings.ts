import type { Catalogue } from "../../words.ts";
import { otherWords } from "./settings/other-words.ts";

export const settings: Catalogue["settings"] = {
  groups: {
    security: "Wie melden sich Benutzer an?",
    sessions: "Wann endet eine Sitzung?",
    clock: "Was stellt die Uhr?",
    time: "Welche Zeitserver werden gefragt?",
    trust: "Wann wird der Zeit vertraut?",
    notifications: "Wer wird benachrichtigt?",
    reminders: "Worauf verzichtet dieses Gerät?",
    console: "Wie sieht die Konsole aus?",
  },
  readonly: "Ihre Rolle kann die Einstellungen lesen, aber nicht ändern.",
  adminOnly: "Nur ein Administrator kann das ändern.",
  hidden: "verborgen: Ihre Rolle darf diesen Wert nicht sehen",
  on: "ein",
  off: "aus",
  none: "keine Angabe",
  byDefault: (value) => `Voreinstellung: ${value}.`,
  find: "Einstellung suchen",
  section: "Abschnitt",
  searched: "Gefundenes",
  found: (count) => (count === 1 ? "1 Einstellung gefunden" : `${count} Einstellungen gefunden`),
  foundNone: (sought) => `Keine Einstellung passt zu „${sought}“.`,
  showAll: "Alle Einstellungen zeigen",
  unsaved: (count) =>
    count === 0
      ? "Keine ungespeicherten Änderungen"
      : count === 1
        ? "1 Änderung nicht gespeichert"
        : `${count} Änderungen nicht gespeichert`,
  unsavedHere: (count) => `${count} ungespeichert`,
  discard: "Verwerfen",
  meanwhile: (value) => `Ein anderer Benutzer hat das inzwischen geändert: ${value}`,
  changedMeanwhile: (names) => `Ein anderer Benutzer hat geändert: ${names}`,
  conflict: "Ein anderer Benutzer hat dieselben Einstellungen geändert",
  conflictText: "Noch ist nichts gespeichert. Wählen Sie für jede Einstellung einen Wert.",
  was: (value) => `Als Sie begannen: ${value}`,
  longest: (characters) => `Höchstens ${characters} Zeichen.`,
  also: otherWords,
  changeThere: "Unter „Dieses Gerät“ ändern",
  moveUp: "Nach oben",
  moveDown: "Nach unten",
  addItem: "Server hinzufügen",
  addWindow: "Fenster hinzufügen",
  window: "Fenster",
  from: "Von",
  to: "Bis",
  always: "Jederzeit",
  nextDay: "Bis zu dieser Zeit am nächsten Tag.",
  wholeDay: "24 Stunden, bis zur selben Zeit am nächsten Tag.",
  words: {
    "/device/name": { label: "Gerätename" },
    "/device/location": { label: "Standort" },
    "/device/contact": { label: "Ansprechpartner" },
    "/host/host_name": { label: "Hostname" },
    "/host/time_zone": { label: "Zeitzone" },
    "/device/not_needed": {
      label: "Hier nicht nötig",
      hint: "Worauf dieses Gerät verzichtet. Die Startseite fragt nicht mehr danach",
    },
    "/time/mode": {
      label: "Uhr gestellt durch",
      hint: "Hat root das in der Host-Datei festgelegt, lässt es sich hier nicht ändern",
    },
    "/time/servers": {
      label: "Zeitserver",
      hint: "Ein Name oder eine Adresse, mit Port, wenn es nicht der übliche ist; mit NTS der des Schlüsselaustauschs",
    },
    "/time/authenticated_only": {
      label: "Nur authentifizierte Zeit",
      hint: "Fragt nur Zeitserver mit NTS und folgt nur ihrer Mehrheit",
    },
    "/time/min_agreeing": {
      label: "Server, die übereinstimmen müssen",
      hint: "1 bis 8. Leer: 1 bei einem Server, sonst 2. Der Zeit wird nur vertraut, wenn mehr als die Hälfte aller Server übereinstimmt",
    },
    "/time/max_root_distance": {
      label: "Größte Ungenauigkeit",
      hint: "100 ms bis 16 s. Ein Server, dessen Zeit um mehr falsch gehen kann, wird nicht verwendet",
    },
    "/time/panic_threshold": {
      label: "Größte Korrektur",
      hint: "1 Sekunde bis 10 Jahre. Eine größere Korrektur der laufenden Uhr muss ein Administrator veranlassen",
    },
    "/update/ota/enabled": {
      label: "Updates nach Zeitplan",
      hint: "Sucht regelmäßig nach Updates. Ist das aus, können Sie weiterhin von Hand suchen und installieren",
    },
    "/update/ota/server": {
      label: "Update-Server",
      hint: "Die Adresse des Repositorys Ihres Herausgebers. Sie beginnt mit https:// und enthält weder Benutzername noch Passwort",
    },
    "/update/ota/channel": {
      label: "Kanal",
      hint: "Die Versionen des Herausgebers für diese Gruppe von Geräten, etwa stable oder beta",
    },
    "/update/ota/check_interval": {
      label: "Zeit zwischen Suchen",
      hint: "5 Minuten bis 30 Tage. Jede Suche kommt bis zu einem Zehntel früher oder später",
    },
    "/update/ota/auto_update_rules": {
      label: "Ein neues Regelwerk automatisch installieren",
      hint: "Ein Regelwerk, das nicht funktioniert, wird automatisch zurückgenommen",
    },
    "/update/ota/auto_update_binary": {
      label: "Einen neuen Dienst automatisch installieren",
      hint: "Ein neuer Dienst kann auf diesem Gerät alles. Deshalb bleibt das aus, bis ein Vertrauensanker installiert, sein Fingerabdruck bestätigt und der Server geprüft ist",
    },
    "/update/ota/verify_signature": { label: "Signaturen", hint: "Nur signierte Updates werden installiert" },
    "/update/ota/report": {
      label: "Dem Herausgeber das Ergebnis mitteilen",
      hint: "Jede Suche teilt dem Update-Server Produkt, Versionen und ob sie funktionieren mit, unter einer Nummer je Version. So kann ein Herausgeber eine fehlerhafte Version stoppen",
    },
    "/update/windows": {
      label: "Update-Fenster",
      hint: "Wann Updates automatisch installiert werden dürfen, in der Zeitzone des Geräts",
    },
    "/security/require_2fa": {
      label: "Zweiter Faktor erforderlich",
      hint: "Benutzer ohne zweiten Faktor müssen ihn zuerst einrichten",
    },
    "/security/session_idle": { label: "Abmelden bei Inaktivität", hint: "5 Minuten bis 24 Stunden" },
    "/security/session_absolute": { label: "Längste Sitzungsdauer", hint: "15 Minuten bis 30 Tage" },
    "/security/password_min_length": {
      label: "Mindestlänge für Passwörter",
      hint: "15 bis 128 Zeichen; gilt für neue Passwörter",
    },
    "/notify/receivers": { label: "Empfänger", hint: "Webhooks und E-Mail-Adressen für Benachrichtigungen" },
    "/console/language": {
      label: "Sprache",
      hint: "Für Nachrichten, und für Browser, deren Sprache die Konsole nicht spricht",
    },
    "/console/banner": {
      label: "Text auf der Anmeldeseite",
      hint: "Alle, die die Anmeldeseite öffnen, können ihn lesen",
    },
    "/console/accent": {
      label: "Farbe",
      hint: "Unterscheidet dieses Gerät von anderen: im Kopf jeder Seite und bei der Anmeldung",
    },
  },
  options: {
    "/device/not_needed": {
      second_factor_advised: {
        label: "Ein zweiter Faktor für Administratoren",
        hint: "Allein ihre Passwörter schützen dieses Gerät",
      },
      updates_not_set_up: {
        label: "Ein Update-Server",
        hint: "Dieses Gerät erhält keine Updates von einem Herausgeber",
      },
      no_receiver: {
        label: "Ein Empfänger von Nachrichten",
        hint: "Keine Nachricht wird gesendet, wenn etwas ausfällt",
      },
    },
    "/time/mode": {
      auto: { label: "Automatisch", hint: "Ein anderer Zeitdienst, wenn einer läuft, sonst Steward" },
      discipline: { label: "Steward", hint: "Steward stellt die Uhr nach den Zeitservern" },
      delegate: { label: "Ein anderer Dienst", hint: "Etwa chronyd; Steward zeigt dessen Zustand an" },
      observe: { label: "Nur messen", hint: "Die Zeit wird gemessen, die Uhr nicht geändert" },
      manual: { label: "Von Hand", hint: "Kein Zeitserver wird gefragt" },
    },
    "/security/require_2fa": {
      none: { label: "Freiwillig", hint: "Alle Benutzer können einen einrichten" },
      admins: { label: "Administratoren" },
      all: { label: "Alle Benutzer" },
    },
    "/console/accent": {
      blue: { label: "Blau" },
      violet: { label: "Violett" },
      magenta: { label: "Magenta" },
      brown: { label: "Braun" },
      olive: { label: "Oliv" },
      green: { label: "Grün" },
      teal: { label: "Blaugrün" },
      slate: { label: "Schiefergrau" },
    },
  },
  faults: {
    "/time/servers":
      "Erwartet wird ein Name oder eine Adresse, etwa ntp.example.org, 192.0.2.1:123 oder [2001:db8::1]:123",
    "/time/max_root_distance": "Erwartet wird eine Dauer von 100 ms bis 16 s",
    "/time/panic_threshold": "Erwartet wird eine Dauer von 1 Sekunde bis 10 Jahren",
    "/update/ota/server":
      "Erwartet wird die Adresse des Ordners über metadata/, mit https:// und ohne Leerzeichen, Benutzername und Passwort",
    "/update/ota/channel":
      "Erwartet werden 1 bis 32 Kleinbuchstaben, Ziffern, Punkte, Unter- oder Bindestriche, am Anfang ein Buchstabe oder eine Ziffer",
    "/update/ota/check_interval": "Erwartet wird eine Dauer von 5 Minuten bis 30 Tagen",
    "/update/windows": "Erwartet wird eine Uhrzeit von 00:00 bis 23:59",
    "/security/session_idle": "Erwartet wird eine Dauer von 5 Minuten bis 24 Stunden",
    "/security/session_absolute": "Erwartet wird eine Dauer von 15 Minuten bis 30 Tagen",
    "/console/language": "Erwartet wird eine Sprache, etwa en oder de",
    "/console/banner": "Erwartet wird eine Zeile Text ohne Steuerzeichen",
  },
  misfits: {
    "/time/authenticated_only": "Kein Zeitserver hat NTS",
    "/security/session_idle": "Darf nicht länger sein als die höchste Sitzungsdauer",
    "/update/ota/enabled": "Stellen Sie zuerst einen Update-Server ein",
    "/update/ota/server": "Adressen auf diesem Gerät selbst sind nicht erlaubt",
    "/update/ota/channel": "root erlaubt hier nur bestimmte Kanäle",
    "/update/ota/auto_update_binary":
      "Erst wenn ein Vertrauensanker installiert, sein Fingerabdruck bestätigt und der Server geprüft ist",
  },
};
