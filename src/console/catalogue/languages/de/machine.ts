import type { Catalogue } from "../../words.ts";
import { wayInWords } from "./copied/way-in.ts";

export const wayIn = wayInWords;

export const machine: Catalogue["machine"] = {
  identity: "Identität",
  fields: {
    name: "Gerätename",
    location: "Standort",
    contact: "Ansprechpartner",
    host_name: "Hostname",
    time_zone: "Zeitzone",
  },
  hints: {
    host_name:
      "Buchstaben, Ziffern und Bindestriche. Adressen mit dem bisherigen Namen funktionieren nicht mehr.",
    time_zone: "Die Update-Fenster richten sich sofort danach.",
  },
  meanwhile: (value) => `Ein anderer Benutzer hat das inzwischen geändert: ${value}`,
  oneLine: "Erwartet wird eine Zeile Text ohne Steuerzeichen",
  discard: "Verwerfen",
  maker: "Hersteller",
  product: "Bild des Produkts",
  network: "Netzwerk",
  gateway: "Gateway",
  nameServers: "Nameserver",
  services: "Dienste des Produkts",
  serviceStates: {
    active: "läuft",
    reloading: "lädt neu",
    inactive: "angehalten",
    failed: "fehlgeschlagen",
    activating: "startet",
    deactivating: "hält an",
    "not-found": "nicht installiert",
  },
  onLan: "Im LAN",
  httpsOff: "Aus. Ein Befehl auf dem Gerät schaltet es ein:",
  httpsOpen:
    "Aus. Ist es eingeschaltet, können andere Computer und Telefone im Netzwerk diese Konsole öffnen.",
  enableHttps: "HTTPS einschalten",
  rootsToken: "Einrichtungs-Token",
  rootsTokenHint:
    "Diese Seite wurde nicht auf dem Gerät selbst geöffnet, deshalb ist ein Token von root nötig. Dieser Befehl gibt ihn auf dem Gerät aus:",
  firstVisit:
    "Browser warnen beim ersten Besuch, weil das Gerät sein Zertifikat selbst erstellt hat. Öffnen Sie eine Adresse und vergleichen Sie den Fingerabdruck, den der Browser zeigt, mit diesem. Sind die beiden verschieden, gehen Sie nicht weiter.",
  addresses: "Adressen",
  certificate: "Zertifikat",
  selfMade: "von diesem Gerät erstellt",
  installed: (name) => `installiert, ${name}`,
  validUntil: "Gültig bis",
  actions: "Sicherung, Neustart und Hilfe",
  backup: "Sicherung",
  lastBackup: "Letzte Sicherung:",
  makeBackup: "Sicherung erstellen",
  backupTitle: (name) => `${name} sichern`,
  backupText:
    "Eine verschlüsselte Datei mit Benutzern, zweiten Faktoren, API-Token, Einstellungen, Zertifikaten und Ereignissen. Ein anderes Gerät kann dieses damit ersetzen. Installierte Versionen sind nicht enthalten: Sie werden neu heruntergeladen.",
  passphrase: "Passphrase",
  passphraseHint:
    "12 Zeichen oder mehr; gut sind sechs zufällig gewählte Wörter. Ohne sie kann niemand die Datei öffnen. Bewahren Sie sie deshalb an einem anderen Ort auf als die Datei.",
  passphraseAgain: "Die Passphrase noch einmal",
  passphraseDiffers: "Das ist eine andere Passphrase",
  backupVerb: "Sicherung herunterladen",
  backupMaking: "Die Sicherung wird erstellt …",
  fileMade: (file, size) => `${file} (${size}) ist in den Downloads Ihres Browsers.`,
  backupKeep:
    "Bewahren Sie sie nicht bei diesem Gerät auf, und die Passphrase an einem anderen Ort. Ein neues Gerät bietet bei der Einrichtung an, sie wiederherzustellen.",
  backupBroken: {
    title: "Die Sicherung wurde unterbrochen",
    text: "Eine unvollständige Sicherung lässt sich nicht öffnen, deshalb wurde nichts gespeichert. Erstellen Sie sie noch einmal.",
  },
  unattended: "Automatische Sicherungen",
  unattendedText:
    "Ein Timer erstellt sie auf dem Gerät, verschlüsselt für einen öffentlichen Schlüssel von age. So kann nichts auf dem Gerät sie öffnen. Als root:",
  restore: "Sicherung wiederherstellen",
  restoreText:
    "Ein neues Gerät bietet es bei der Einrichtung an. Auf diesem tut es root, mit der Datei zur Hand:",
  bundle: "Supportpaket",
  bundleText:
    "Befunde, Protokoll und Einstellungen für den Support, ohne Geheimnisse; Benutzer und Adressen nur als Nummern.",
  undo: "Wiederherstellen oder zurücksetzen",
  restart: "Dieses Gerät neu starten",
  restartHint: "Alles, was darauf läuft, ist ein bis zwei Minuten unterbrochen.",
  reboot: "Neu starten",
  rebootTitle: (name) => `${name} neu starten?`,
  rebootText: "Alles, was auf dem Gerät läuft, wird unterbrochen. Diese Seite wartet, bis es wieder da ist.",
  rebooting: (name) => `${name} startet neu`,
  rebootingText: "Das dauert ein bis zwei Minuten. Die Seite geht weiter, sobald das Gerät wieder antwortet.",
  rebooted: "Das Gerät wurde neu gestartet.",
  off: "Dieses Gerät ausschalten",
  powerOff: "Ausschalten",
  powerOffTitle: (name) => `${name} ausschalten?`,
  powerOffText: "Es kann nur am Gerät selbst wieder eingeschaltet werden.",
  poweringOff: (name) => `${name} wird ausgeschaltet`,
  poweringOffText: "Sie können diese Seite schließen. Das Gerät muss von Hand eingeschaltet werden.",
  force: "Auch während ein Update erprobt wird; es wird dann zurückgenommen",
  reset: "Auf Werkszustand zurücksetzen",
  asDelivered: "Zurück in den Auslieferungszustand",
  resetTitle: (name) => `${name} zurücksetzen?`,
  resetText:
    "Benutzer, Einstellungen, Sitzungen, API-Token und Ereignisse werden gelöscht. Das lässt sich nicht rückgängig machen.",
  resetKept: "Installierte Versionen und was root auf dem Gerät festgelegt hat, bleibt.",
  resetting: (name) => `${name} wird zurückgesetzt`,
  resettingText:
    "Die Seite geht weiter, sobald das Gerät neu eingerichtet werden kann. Den Einrichtungs-Token zeigt das Gerät.",
};

export const print: Catalogue["print"] = {
  sheet: "Geräteblatt",
  console: "Konsole",
  deviceId: "Geräte-ID",
  certificate: "Zertifikat der Konsole (SHA\u2011256)",
  noCertificate: "keines: HTTPS ist aus",
  root: "Vertrauensanker der Updates (SHA\u2011256)",
  product: "Produkt",
  support: "Unterstützt bis",
  printed: "Datum dieses Blatts",
};
