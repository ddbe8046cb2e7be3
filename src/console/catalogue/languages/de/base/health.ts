import { clockFindings } from "../../../../../contract/words/de/clock.ts";
import type { Catalogue } from "../../../words.ts";

export const healthWords: Catalogue["health"] = {
  checks: {
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
    time: "Uhr",
    listening: "Verbindungen am Gerät",
    program: "Programm",
    "root helper": "Hilfsprogramm für root",
  },
  records: {
    users: "Benutzer",
    tokens: "API-Token",
    trust: "das Vertrauen in Updates",
    updates: "Updates",
    configuration: "Einstellungen und Gerät",
    use: "Anmeldungen und die Uhr",
  },
  clockFindings,
  codes: {
    ok: () => "",
    state_damaged: () =>
      "Die gespeicherten Daten sind beschädigt, und es lässt sich nichts ändern. Am Gerät erfährt root mit steward doctor mehr.",
    state_unreachable: () => "Die gespeicherten Daten sind nicht erreichbar.",
    disk_read_only: ({ path }) =>
      `Auf den Datenträger unter ${path} kann nicht geschrieben werden. Anmelden und Lesen gehen; Änderungen an Benutzern und Einstellungen werden abgelehnt.`,
    disk_space_unknown: ({ path }) => `Wie viel Platz unter ${path} frei ist, lässt sich nicht feststellen.`,
    disk_space_low: ({ path, free, least }) =>
      `Unter ${path} sind nur noch ${free} frei; gewarnt wird unter ${least}. Ist der Datenträger voll, werden Änderungen an Benutzern und Einstellungen abgelehnt.`,
    disk_inodes_low: ({ path, free_inodes }) =>
      `Unter ${path} passen nur noch ${free_inodes} Dateien. Danach werden Änderungen an Benutzern und Einstellungen abgelehnt.`,
    disk_reserve_missing: ({ path }) =>
      `Der Platz, der unter ${path} in Reserve gehalten wird, fehlt: Schaffen Sie dort Platz.`,
    document_not_written: ({ check, problem }) =>
      `Die letzte Änderung konnte nicht gespeichert werden (${check}): ${problem}.`,
    document_waiting: ({ check }) =>
      `Änderungen bleiben im Arbeitsspeicher, bis wieder gespeichert werden kann (${check}).`,
    document_damage_found: ({ check, document }) =>
      `Beschädigte Daten wurden gefunden und ersetzt (${check}). Prüfen Sie, ob etwas fehlt; danach bestätigt root das am Gerät mit steward state accept ${document}.`,
    events_not_written: ({ waiting }) => `${waiting} Ereignisse sind noch nicht gespeichert.`,
    events_lost: ({ lost }) =>
      `${lost} Ereignisse konnten nicht gespeichert werden; sie stehen im Systemprotokoll.`,
    events_damaged: ({ lines }) =>
      `${lines} ${lines === 1 ? "Zeile" : "Zeilen"} des Ereignisprotokolls lassen sich nicht prüfen. Sie sind noch da, und eine neue Datei wurde begonnen.`,
    events_short: ({ record, complete_since }) =>
      `Die Aufzeichnung über ${record} ist erst seit ${complete_since} vollständig: Es ist mehr geschehen, als Platz dafür ist. Sehen Sie in den Ereignissen nach, wer so viel tut.`,
    sealing_key_unusable: ({ path, users }) =>
      `Der Schlüssel der zweiten Faktoren unter ${path} lässt sich nicht verwenden. Betroffene Benutzer: ${users ?? 0}. Ihre Wiederherstellungscodes gelten.`,
    sealing_key_missing: ({ path, users }) =>
      `Der Schlüssel der zweiten Faktoren fehlt: Legen Sie ihn wieder unter ${path} ab und starten Sie den Agenten neu. Betroffene Benutzer: ${users ?? 0}. Ihre Wiederherstellungscodes gelten.`,
    updates_degraded: () => "Bei den Updates besteht Handlungsbedarf.",
    socket_unavailable: ({ path }) =>
      `Befehle am Gerät erreichen den Agenten nicht: Sein Socket ${path} fehlt.`,
    port_unavailable: ({ address }) =>
      `Ein anderes Programm auf dem Gerät belegt ${address}. Was dort geöffnet wird, ist vielleicht nicht Steward.`,
    host_file_refused: ({ path, faults }) =>
      `Die Host-Datei ${path} lässt sich nicht verwenden; die vorige gilt weiter. Root berichtigt sie am Gerät: steward host-file check. ${faults}`,
    host_file_without_copy: ({ path, faults }) =>
      `Die Host-Datei ${path} lässt sich nicht verwenden: Bis root sie berichtigt, ist dieses Gerät nur von sich selbst aus erreichbar und spielt keine Updates ein. ${faults}`,
    host_file_members_unknown: ({ path, members }) =>
      `Teile der Host-Datei ${path} haben keine Wirkung, weil diese Version sie nicht kennt: ${members}.`,
    https_unavailable: () => "HTTPS hört nicht, wie es die Host-Datei vorgibt.",
    https_certificate_refused: ({ certificate }) =>
      `Das Zertifikat ${certificate} lässt sich nicht verwenden.`,
    https_certificate_ending: ({ certificate }) =>
      `Das Zertifikat ${certificate} läuft bald ab. Installieren Sie ein neues.`,
    https_certificate_expired: ({ certificate }) =>
      `Das Zertifikat ${certificate} ist abgelaufen, und Browser lehnen es ab. Geht die Uhr richtig, installieren Sie ein neues.`,
    https_certificate_early: ({ certificate }) =>
      `Das Zertifikat ${certificate} gilt nach dieser Uhr noch nicht, und Browser lehnen es ab. Prüfen Sie die Uhr.`,
    program_broken: ({ parts }) =>
      `Teile des Programms funktionieren nicht: ${parts}. Installieren Sie es neu.`,
    root_helper_missing: () =>
      "Das Hilfsprogramm für root ist nicht erreichbar: Updates werden nicht installiert, Neustart, Hostname und Zeitzone abgelehnt. Am Gerät nennt steward doctor root den Befehl, der das behebt.",
    program_untested: () => "Das Programm konnte sich nicht selbst prüfen.",
  },
  updates: {
    signature_verification_off: () => "Die Prüfung von Signaturen ist aus.",
    channel_not_allowed: () => "root erlaubt den eingestellten Kanal nicht.",
    trust_not_installed: () => "Es ist kein Vertrauensanker installiert.",
    trust_unusable: () => "Der installierte Vertrauensanker lässt sich nicht verwenden.",
    automatic_binary_ineffective: () =>
      "Dienste werden nicht automatisch aktualisiert, bis dem Herausgeber vertraut wird.",
    journal_unreadable: () => "Das Verzeichnis der installierten Versionen ist nicht lesbar.",
    former_not_healthy: () => "Die frühere Version läuft wieder und funktioniert nicht.",
    refused: (release) => `Der Installer hat ${release} abgelehnt.`,
    installer_unavailable: () => "Der Installer ließ sich nicht starten.",
    request_failed: (release) => `${release} ließ sich nicht installieren.`,
    check_failed: () => "Die letzte Suche nach Updates ist fehlgeschlagen.",
    not_verifiable: () => "Bei der letzten Suche ließ sich nicht prüfen, was der Herausgeber signiert hat.",
  },
};
