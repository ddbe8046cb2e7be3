import type { Catalogue } from "../../../words.ts";

/** Other words that people type for a setting; they are never shown. */
export const otherWords: Catalogue["settings"]["also"] = {
  "/device/name": "umbenennen, Bezeichnung",
  "/device/location": "Ort, Raum, Adresse",
  "/device/contact": "Kontakt, Zuständige, E-Mail, Telefon",
  "/host/host_name": "Rechnername, umbenennen, DNS-Name, Netzwerkname",
  "/host/time_zone": "UTC, Region, Sommerzeit, Winterzeit",
  "/time/mode": "Uhrmodus, chrony, timesyncd",
  "/time/servers": "NTP, NTP-Server, Zeitquelle, Pool",
  "/time/authenticated_only": "NTS",
  "/time/panic_threshold": "Schwelle, Sprung",
  "/time/max_root_distance": "Genauigkeit",
  "/time/min_agreeing": "Mehrheit, Quorum",
  "/update/ota/enabled": "automatische Updates, Autoupdate, Zeitplan",
  "/update/ota/server": "Repository, Update-Adresse, Spiegel",
  "/update/ota/channel": "Beta, Stable",
  "/update/ota/check_interval": "Intervall, wie oft",
  "/update/ota/report": "Telemetrie, Statistik, Datenschutz",
  "/update/windows": "Wartungsfenster, Zeitplan, nachts",
  "/security/require_2fa": "2FA, MFA, Zwei-Faktor",
  "/security/session_idle": "Timeout, Leerlauf, automatisch abmelden",
  "/security/session_absolute": "Timeout, Sitzung läuft ab",
  "/security/password_min_length": "Passwortregeln, Passwortlänge, Kennwort",
  "/console/language": "Deutsch, Englisch, Übersetzung",
  "/console/banner": "Banner, Hinweis, Begrüßung",
  "/console/accent": "Akzent, Akzentfarbe, Design",
};
