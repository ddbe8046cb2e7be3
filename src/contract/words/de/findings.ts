import type { FindingWords, PartEffects } from "../needs.ts";
import { clockFindings } from "./clock.ts";

/** The parts of the device that health checks are about, by the name of the check. */
export const checkNames: Readonly<Record<string, string>> = {
  "host file": "Host-Datei",
  state: "gespeicherte Daten",
  disk: "Datenträger",
  users: "Benutzer",
  settings: "Einstellungen",
  sessions: "Sitzungen",
  attempts: "fehlgeschlagene Anmeldungen",
  tokens: "API-Token",
  "used-codes": "benutzte Codes",
  clock: "Daten der Uhr",
  updates: "Updates",
  register: "Liste der Dokumente",
  events: "Ereignisprotokoll",
  "two-factor key": "Schlüssel der zweiten Faktoren",
  "receiver-secrets": "Geheimnisse der Empfänger",
  outbox: "Stand der Empfänger",
  notifications: "Benachrichtigungen",
  time: "Uhr",
  credentials: "Zugangsdaten von systemd",
  backup: "tägliche Sicherung",
  upload: "Senden der Audit-Zeilen",
  listening: "Verbindungen am Gerät",
  program: "Programm",
  "root helper": "Hilfsprogramm für root",
};

const partEffects: PartEffects = {
  signatures: "Updates lassen sich nicht prüfen",
  "two-factor": "zweite Faktoren lassen sich nicht prüfen",
  passwords: "Passwörter lassen sich nicht prüfen, und keine Anmeldung gelingt",
  clock: "die Uhr lässt sich nicht stellen",
  rights: "kein Update wird installiert",
};

const nameOf = (document: string): string => checkNames[document] ?? document;

/** Three keys; a device has one, or a former one besides. */
const namesOf = (keys: readonly string[]): string =>
  keys.length === 0 ? "" : ` (${keys.slice(0, 3).join(", ")}${keys.length > 3 ? " und andere" : ""})`;

export const findingWords: FindingWords = {
  ...clockFindings,
  state_damaged: () =>
    "Die gespeicherten Daten sind beschädigt, und es lässt sich nichts ändern. Am Gerät erfährt root mit steward doctor mehr.",
  state_unreachable: () => "Die gespeicherten Daten sind nicht erreichbar.",
  disk_read_only: ({ path }) =>
    `Auf den Datenträger unter ${path} kann nicht geschrieben werden. Anmelden und Lesen gehen; Änderungen an Benutzern und Einstellungen werden abgelehnt.`,
  disk_space_unknown: ({ path }) => `Wie viel Platz unter ${path} frei ist, lässt sich nicht feststellen.`,
  disk_space_low: ({ path, free_bytes, least_bytes, has_reserve }, { bytes }) =>
    `Unter ${path} sind nur noch ${bytes(free_bytes)} frei; gewarnt wird unter ${bytes(least_bytes)}.${has_reserve ? "" : " Die Reserve, die zuerst aufgegeben wird, fehlt."} Ist der Datenträger voll, werden Änderungen an Benutzern und Einstellungen abgelehnt.`,
  disk_inodes_low: ({ path, free_inodes, least_inodes }) =>
    `Unter ${path} passen nur noch ${free_inodes} Dateien; gewarnt wird unter ${least_inodes}. Danach werden Änderungen an Benutzern und Einstellungen abgelehnt.`,
  disk_reserve_missing: ({ path }) =>
    `Die Reserve unter ${path}, die auf einem vollen Datenträger zuerst aufgegeben wird, fehlt: Schaffen Sie dort Platz.`,
  document_not_written: ({ document, error }, format) =>
    `Die letzte Änderung konnte nicht gespeichert werden (${nameOf(document)}): ${format.error(error)}.`,
  document_waiting: ({ document }) =>
    `Änderungen bleiben im Arbeitsspeicher, bis wieder gespeichert werden kann (${nameOf(document)}).`,
  document_damage_found: ({ document, found_at }, { moment }) =>
    `Beschädigte Daten wurden gefunden (${moment(found_at)}) und ersetzt (${nameOf(document)}). Prüfen Sie, ob etwas fehlt; danach bestätigt root das am Gerät mit steward state accept ${document}.`,
  events_not_written: ({ waiting, lost, error }, format) =>
    `${waiting} Ereignisse sind noch nicht gespeichert, für ${lost} war kein Platz: ${format.error(error)}.`,
  events_lost: ({ lost }) =>
    `${lost} Ereignisse konnten nicht gespeichert werden; sie stehen im Systemprotokoll.`,
  events_damaged: ({ lines }) =>
    `Ein Teil des Ereignisprotokolls lässt sich nicht prüfen (Zeilen: ${lines}). Er ist noch da, und eine neue Datei wurde begonnen.`,
  events_short: ({ complete_since }, { moment }) =>
    `Die Aufzeichnung der Änderungen ist erst seit ${moment(complete_since)} vollständig: Es ist mehr geschehen, als Platz hat. Suchen Sie in den Ereignissen nach der Ursache.`,
  no_administrator: ({ users }) =>
    `Kein Administrator dieses Geräts kann sich anmelden (Benutzer: ${users}): Ihre Einmalpasswörter sind verbraucht, oder ihre zweiten Faktoren lassen sich nicht prüfen und kein Wiederherstellungscode ist übrig. root kann am Gerät wieder einem Zugang geben.`,
  sealing_key_unusable: ({ path, users }) =>
    `Der Schlüssel der zweiten Faktoren unter ${path} lässt sich nicht verwenden. Betroffene Benutzer: ${users}. Ihre Wiederherstellungscodes gelten weiter.`,
  sealing_key_missing: ({ path, users, keys }) =>
    `Der Schlüssel der zweiten Faktoren${namesOf(keys)} fehlt: Legen Sie ihn wieder unter ${path} ab und starten Sie den Agenten neu. Betroffene Benutzer: ${users}. Ihre Wiederherstellungscodes gelten weiter.`,
  updates_degraded: () => "Bei den Updates besteht Handlungsbedarf.",
  socket_unavailable: ({ path }) =>
    `Befehle am Gerät erreichen den Agenten nicht: Sein Socket ${path} funktioniert nicht.`,
  port_unavailable: ({ address }) =>
    `Ein anderes Programm auf dem Gerät belegt ${address}. Was dort geöffnet wird, ist vielleicht nicht Steward.`,
  host_file_refused: ({ path, faults }) =>
    `Die Host-Datei ${path} lässt sich nicht verwenden: ${faults.join("; ")}. Es gilt die zuletzt angenommene. root berichtigt sie am Gerät: steward host-file check.`,
  host_file_without_copy: ({ path, faults }) =>
    `Die Host-Datei ${path} lässt sich nicht verwenden: ${faults.join("; ")}. Bis root sie berichtigt, ist dieses Gerät nur lokal erreichbar und installiert keine Updates.`,
  host_file_members_unknown: ({ path, members }) =>
    `Teile der Host-Datei ${path} haben keine Wirkung, weil diese Version sie nicht kennt: ${members.join(", ")}.`,
  https_unavailable: () => "HTTPS ist nicht so erreichbar, wie es die Host-Datei vorgibt.",
  https_name_taken: ({ address }) => `Ein anderes Gerät im LAN hat den Namen ${address}.`,
  https_certificate_refused: ({ certificate }) => `Das Zertifikat ${certificate} lässt sich nicht verwenden.`,
  https_certificate_ending: ({ certificate, ends_at }, { moment }) =>
    `Das Zertifikat ${certificate} läuft ab (${moment(ends_at)}). Installieren Sie ein neues.`,
  https_certificate_expired: ({ certificate, ends_at }, { moment }) =>
    `Das Zertifikat ${certificate} ist abgelaufen (${moment(ends_at)}), und Browser lehnen es ab. Geht die Uhr richtig, installieren Sie ein neues.`,
  https_certificate_early: ({ certificate, begins_at }, { moment }) =>
    `Das Zertifikat ${certificate} gilt nach dieser Uhr noch nicht (erst ab ${moment(begins_at)}), und Browser lehnen es ab. Prüfen Sie die Uhr.`,
  program_broken: ({ parts }) =>
    `Teile des Programms funktionieren nicht: ${parts.map((part) => partEffects[part] ?? part).join("; ")}. Installieren Sie es neu.`,
  time_zone_unknown: ({ path }) => `Die Zeitzone des Geräts fehlt in seiner Zeitzonendatenbank: ${path}.`,
  root_helper_missing: () =>
    "Das Hilfsprogramm für root ist nicht erreichbar: Updates werden nicht installiert, Neustart und Änderungen von Hostname, Zeitzone und Zeitdienst abgelehnt. Am Gerät nennt steward doctor root den Befehl, der das behebt.",
  sandbox_reduced: ({ members }) =>
    `Die Umgebung des Agenten, etwa ein Container oder ein Drop-in, hat Schutzmaßnahmen seiner Unit aufgehoben: ${members.join(", ")}.`,
  credential_lost: ({ path }) =>
    `${path} liegt auf diesem Gerät, aber systemd hat die Datei dem Agenten nicht übergeben; sie gilt nicht.`,
  backup_overdue: () => "Die tägliche Sicherung ist eingeschaltet, aber seit zwei Tagen ist keine gelungen.",
  upload_stopped: () =>
    "Der Dienst, der Audit-Zeilen an eine andere Maschine sendet, ist eingeschaltet, läuft aber nicht.",
  program_untested: () => "Das Programm konnte sich nicht selbst prüfen.",
};
