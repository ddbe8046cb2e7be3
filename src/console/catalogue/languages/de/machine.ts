import type { Catalogue } from "../../words.ts";

export const machine: Catalogue["machine"] = {
  title: "Dieses Gerät verwalten",
  names: "Name und Zeitzone",
  hostname: "Hostname",
  hostnameHint:
    "Buchstaben, Ziffern und Bindestriche. Adressen mit dem bisherigen Namen funktionieren nicht mehr.",
  timeZone: "Zeitzone",
  timeZoneHint: "Die Update-Fenster richten sich sofort danach.",
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
