import type { UpdateWords } from "../../update-facts.ts";

export const updateWords: UpdateWords = {
  holds: {
    failed: ({ kind, reason }) =>
      `Es ist auf diesem Gerät fehlgeschlagen und wird nicht mehr installiert. ${reason} Warten Sie auf eine neuere Version, oder erlauben Sie diese als root mit \`steward update apply${kind && ` ${kind}`} --again\`.`,
    held: ({ reason }) =>
      `Es wurde auf diesem Gerät zurückgenommen und wird nicht mehr automatisch installiert. ${reason} Ein Administrator kann es installieren.`,
    deferred: ({ until, reason }) =>
      `Es wurde zurückgenommen, weil das Gerät neu startete. ${reason} ${until ? `Der nächste Versuch kommt ${until}, oder wenn ein Administrator es installiert.` : "Ein Administrator kann es installieren."}`,
    not_configured: ({ setting }) =>
      `Updates dieser Art sind nicht eingerichtet. root kann sie in der Host-Datei einrichten${setting}.`,
    not_automatic: ({ setting }) => `Versionen dieser Art werden nur auf Anforderung installiert${setting}.`,
    trust_not_established: () =>
      "Es wartet, bis dem Herausgeber vertraut wird oder ein Administrator es installiert.",
    clock_not_trusted: () =>
      "Es wartet, bis der Uhr dieses Geräts vertraut wird: Vorher lässt sich eine veraltete Version nicht erkennen.",
    wave: ({ until }) => `Es wird schrittweise verteilt, und dieses Gerät ist ${until} an der Reihe.`,
    disabled: ({ setting }) =>
      `Updates nach Zeitplan sind aus${setting}, deshalb wird es nur auf Anforderung installiert.`,
    postponed: ({ until }) => `Es ist verschoben; das endet ${until}.`,
    window: ({ until, setting }) =>
      `Es wartet auf das nächste Update-Fenster${setting}${until && `, ${until}`}.`,
    busy: () => "Es wartet, bis das laufende Update beendet ist.",
    download_failed: ({ until, reason }) =>
      `Das Herunterladen ist fehlgeschlagen. ${reason}${until && ` Der nächste Versuch kommt ${until}.`}`,
  },
  summaries: {
    checking: () => "Es wird nach Updates gesucht …",
    downloading: ({ what }) => `${what || "Eine Version"} wird heruntergeladen.`,
    requested: ({ what }) => `Der Installer ist für ${what} gestartet.`,
    installing: ({ what }) => `${what} wird installiert.`,
    confirming: ({ what }) => `${what} läuft und wird beobachtet.`,
    rolling_back: ({ what }) => `${what} wird zurückgenommen.`,
    waiting_for_clock: ({ what }) =>
      `${what} ist verfügbar. Es wird heruntergeladen, wenn der Uhr dieses Geräts vertraut wird: siehe \`steward time status\`.`,
    check_waiting_for_clock: () =>
      "Solange der Uhr dieses Geräts nicht vertraut wird, lässt sich nicht feststellen, ob die Metadaten des Servers abgelaufen sind: siehe `steward time status`.",
    available: ({ what, reason }) => `${what} ist verfügbar. ${reason || "Eine Suche lädt es herunter."}`,
    staged: ({ what, reason }) =>
      `${what} ist heruntergeladen und geprüft und kann installiert werden. ${reason}`,
    applied: ({ what, when }) => `${what} wurde ${when} installiert und funktioniert.`,
    undone: ({ what, when, reason }) => `${what} wurde ${when} zurückgenommen. ${reason}`,
    server_not_set: ({ setting }) =>
      `Es ist kein Update-Server eingestellt${setting}, deshalb kann dieses Gerät nicht nach Updates suchen.`,
    not_checked: () => "Es wurde noch nicht gesucht: Die erste Suche kommt bald.",
    not_checked_disabled: ({ setting }) =>
      `Es wurde noch nicht gesucht, und Updates nach Zeitplan sind aus${setting}.`,
    nothing_newer: ({ when }) => `Die letzte Suche, ${when}, fand nichts Neueres für dieses Gerät.`,
    check_failed: ({ when, count, reason }) =>
      `Die letzte Suche, ${when}, ist fehlgeschlagen${count > 1 ? ` (${count} in Folge)` : ""}. ${reason}`,
  },
  reasons: {
    healthy: () => "Es funktioniert.",
    confirmed_by_root: () => "root hat es bestätigt.",
    unclean_exits: ({ count }) => `Es ist ${count}-mal abgestürzt.`,
    not_healthy_in_time: () => "Es hat nicht rechtzeitig funktioniert.",
    activation_failed: () => "Es ließ sich nicht starten.",
    configuration_removed: () => "Updates dieser Art sind in der Host-Datei nicht mehr eingerichtet.",
    restarts: ({ count }) => `Das Gerät ist ${count}-mal neu gestartet, bevor es funktionierte.`,
    aborted_by_root: () => "root hat es abgebrochen.",
    overtaken: () => "Ein Paket derselben oder einer neueren Version wurde installiert.",
    rolled_back: () => "Es wurde auf Anforderung zurückgenommen.",
    interrupted: () =>
      "Es wurde unterbrochen, bevor etwas geändert war. Es lässt sich noch einmal installieren.",
    unrecorded: () => "Eine frühere Version von Steward hat den Grund nicht aufgezeichnet.",
  },
  attempts: {
    good: "ist installiert",
    failed: "ist fehlgeschlagen und wurde zurückgenommen",
    deferred: "wurde wegen Neustarts zurückgenommen und zurückgestellt",
    aborted: "wurde zurückgenommen und wird zurückgehalten",
    overtaken: "wurde zurückgenommen",
    rolled_back: "wurde von Hand zurückgenommen und wird zurückgehalten",
    refused: "wurde abgelehnt; es wurde nichts geändert",
  },
  passedOver: {
    withdrawn: ({ here, detail }) =>
      `${here === null ? "wurde" : "ist installiert und wurde"} vom Herausgeber zurückgezogen${detail ? `: ${detail}` : ""}`,
    below_floor: ({ here }) => `ist älter, als der Herausgeber erlaubt: mindestens ${here}`,
    needs_newer_agent: ({ offered, here }) => `braucht Steward ${offered}, und dieses Gerät hat ${here}`,
    failed: () => "ist auf diesem Gerät schon fehlgeschlagen",
    held: () => "wurde auf diesem Gerät schon zurückgenommen",
    unreadable: () => "ist nicht lesbar",
    other_channel: ({ offered, here }) => `ist auf dem Kanal ${offered}, nicht ${here}`,
    other_arch: ({ offered, here }) => `ist für ${offered}, und dieses Gerät ist ${here}`,
    other_product: ({ offered, here }) => `ist für das Produkt ${offered}, nicht ${here}`,
    not_newer: ({ version, here }) =>
      version === here ? "ist installiert" : `ist nicht neuer als ${here}, das installiert ist`,
  },
};
