import type { Catalogue } from "../../words.ts";

export const machine: Catalogue["machine"] = {
  title: "Dieses Gerät verwalten",
  names: "Name und Zeitzone",
  hostname: "Hostname",
  hostnameHint:
    "Buchstaben, Ziffern und Bindestriche. Adressen mit dem bisherigen Namen funktionieren nicht mehr.",
  timeZone: "Zeitzone",
  timeZoneHint: "Die Update-Fenster richten sich sofort danach.",
  backup: "Sicherung",
  lastBackup: "Letzte Sicherung:",
  makeBackup: "Sicherung erstellen",
  backupTitle: (name) => `${name} sichern`,
  backupText:
    "Eine verschlüsselte Datei mit Benutzern, zweiten Faktoren, API-Token, Einstellungen, Zertifikaten und Ereignissen. Ein anderes Gerät kann damit an die Stelle dieses Geräts treten. Installierte Versionen sind nicht enthalten: Sie kommen wieder von ihrem Herausgeber.",
  passphrase: "Passphrase",
  passphraseHint:
    "12 Zeichen oder mehr; gut sind sechs zufällig gewählte Wörter. Ohne sie kann niemand die Datei öffnen. Bewahren Sie sie deshalb an einem anderen Ort auf als die Datei.",
  passphraseAgain: "Die Passphrase noch einmal",
  passphraseDiffers: "Das ist eine andere Passphrase",
  backupVerb: "Sicherung herunterladen",
  backupMaking: "Die Sicherung wird erstellt …",
  backupReceived: (size) => `bisher ${size}`,
  backupMade: (file, size) => `${file} (${size}) ist in den Downloads Ihres Browsers.`,
  backupKeep:
    "Bewahren Sie sie nicht bei diesem Gerät auf, und die Passphrase an einem dritten Ort. Ein neues Gerät bietet bei der Einrichtung an, sie wiederherzustellen.",
  backupBroken: "Die Sicherung ist abgebrochen",
  backupBrokenText:
    "Ein Teil einer Sicherung lässt sich nicht öffnen, deshalb wurde nichts gespeichert. Erstellen Sie sie noch einmal.",
  unattended: "Sicherungen ohne Zutun",
  unattendedText:
    "Ein Timer erstellt sie auf dem Gerät, verschlüsselt für einen öffentlichen Schlüssel von age. So öffnet sie nichts, was auf dem Gerät ist. Als root:",
  power: "Neustart und Zurücksetzen",
  reboot: "Neu starten",
  rebootTitle: (name) => `${name} neu starten?`,
  rebootText: "Alles, was auf dem Gerät läuft, wird unterbrochen. Diese Seite wartet, bis es wieder da ist.",
  rebooting: (name) => `${name} startet neu`,
  rebootingText:
    "Das dauert ein bis zwei Minuten. Die Seite macht weiter, sobald das Gerät wieder antwortet.",
  rebooted: "Das Gerät wurde neu gestartet.",
  powerOff: "Ausschalten",
  powerOffTitle: (name) => `${name} ausschalten?`,
  powerOffText: "Es kann nur am Gerät selbst wieder eingeschaltet werden.",
  poweringOff: (name) => `${name} wird ausgeschaltet`,
  poweringOffText: "Sie können diese Seite schließen. Das Gerät muss von Hand eingeschaltet werden.",
  force: "Auch während ein Update erprobt wird; es wird dann zurückgenommen",
  reset: "Auf Werkszustand zurücksetzen",
  resetTitle: (name) => `${name} zurücksetzen?`,
  resetText:
    "Benutzer, Einstellungen, Sitzungen, API-Token und Ereignisse werden gelöscht. Das lässt sich nicht rückgängig machen.",
  resetKept: "Installierte Versionen und was root auf dem Gerät festgelegt hat, bleiben.",
  resetting: (name) => `${name} wird zurückgesetzt`,
  resettingText:
    "Die Seite macht weiter, sobald das Gerät neu eingerichtet werden kann. Den Einrichtungs-Token zeigt das Gerät.",
};

export const print: Catalogue["print"] = {
  sheet: "Geräteblatt",
  console: "Konsole",
  qr: (address) => `QR-Code der Adresse ${address}`,
  deviceId: "Geräte-ID",
  certificate: "Zertifikat der Konsole (SHA\u2011256)",
  noCertificate: "keines: HTTPS ist aus",
  root: "Vertrauensanker der Updates (SHA\u2011256)",
  noRoot: "nicht installiert",
  support: "Unterstützt bis",
  printed: "Datum dieses Blatts",
  unknown: "nicht bekannt",
};
