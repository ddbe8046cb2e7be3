import type { NeedWords } from "../needs.ts";

export const needWords: NeedWords = {
  rescue: { title: () => "Die gespeicherten Daten sind beschädigt" },
  setup_required: {
    title: () => "Es gibt noch keinen Administrator",
    text: () => "Legen Sie einen an, bevor das Gerät benutzt wird.",
  },
  no_administrator: { title: () => "Kein Administrator kann sich anmelden" },
  program: { title: () => "Beim Programm besteht Handlungsbedarf" },
  root_helper: { title: () => "Das Hilfsprogramm für root ist nicht erreichbar" },
  host_file: { title: () => "Bei der Host-Datei besteht Handlungsbedarf" },
  disk: {
    title: ({ reason }) =>
      reason === "disk_read_only"
        ? "Der Datenträger lässt sich nicht beschreiben"
        : "Auf dem Datenträger fehlt Platz",
  },
  state_document: { title: () => "Bei den gespeicherten Daten besteht Handlungsbedarf" },
  event_log: { title: () => "Beim Ereignisprotokoll besteht Handlungsbedarf" },
  two_factor_key: { title: () => "Der Schlüssel der zweiten Faktoren fehlt" },
  credentials: { title: () => "Zugangsdaten fehlen" },
  unit: { title: () => "Eine Hintergrundaufgabe schlägt fehl" },
  clock: {
    title: ({ reason, word, trust }) => {
      if (reason === "time_zone_unknown") return "Die Zeitzone ist nicht bekannt";
      if (reason === "battery_clock_wrong") return "Die batteriegepufferte Uhr geht falsch";
      if (reason === "clock_minority_agrees") return "Zu wenige Zeitserver stimmen überein";
      if (reason.endsWith("_externally") || reason.endsWith("_daemon"))
        return "Ein anderes Programm stellt die Uhr";
      if (word === "in_sync") return "Bei den Zeitservern besteht Handlungsbedarf";
      return trust === "none" ? "Der Uhr wird nicht vertraut" : "Die Uhr geht nicht richtig";
    },
    text: () => "Bis dahin können Codes und Updates abgelehnt werden.",
  },
  listening: { title: () => "Der Agent ist nicht überall erreichbar" },
  https: { title: () => "Bei HTTPS besteht Handlungsbedarf" },
  updates: { title: () => "Bei den Updates besteht Handlungsbedarf" },
  update_available: {
    title: ({ what }) => `${what} ist verfügbar`,
    text: () => "Ein Administrator kann es installieren.",
  },
  update_failed: {
    title: ({ what }) => `${what} ist hier fehlgeschlagen`,
    text: () => "Es wurde zurückgenommen. Eine neuere Version, die hier läuft, erledigt das.",
  },
  update_withdrawn: {
    title: ({ what }) => `${what} wurde vom Herausgeber zurückgezogen`,
    text: ({ detail }) =>
      `Es ist installiert.${detail ? ` "${detail}"` : ""} Eine neuere Version oder die frühere erledigt das.`,
  },
  update_trust_unconfirmed: {
    title: () => "Fingerabdruck des Herausgebers vergleichen",
    text: () => "Bis dahin steht nicht fest, wessen Updates dieses Gerät annimmt.",
  },
  users_locked: {
    title: ({ what }) => `Gesperrte Benutzer: ${what}`,
    text: () => "Nach zu vielen Fehlversuchen ist die Anmeldung eine Weile gesperrt.",
  },
  two_factor_missing: {
    title: ({ what }) => `Benutzer ohne den verlangten zweiten Faktor: ${what}`,
    text: () => "Bis dahin können sie nichts anderes tun.",
  },
  second_factor_advised: {
    title: ({ what }) => `Zweiten Faktor einrichten: ${what}`,
    text: () => "Bis dahin schützt nur ein Passwort diese Administratoren.",
  },
  device_unnamed: {
    title: () => "Dieses Gerät benennen",
    text: ({ what }) => `Angezeigt wird sein Hostname, ${what}.`,
  },
  updates_not_set_up: {
    title: () => "Updates einrichten",
    text: ({ missing }) =>
      missing === "root"
        ? "Ohne Vertrauensanker wird kein Update angenommen."
        : "Ohne Update-Server bekommt dieses Gerät keine Updates.",
  },
  tokens_ending: {
    title: ({ count }) =>
      count === 1 ? "Ein benutzter API-Token läuft bald ab" : `${count} benutzte API-Token laufen bald ab`,
    text: ({ when }) => `Der erste läuft am ${when} ab. Sein Besitzer kann einen neuen erzeugen.`,
  },
  no_receiver: {
    title: () => "Benachrichtigungen einrichten",
    text: () => "Bis dahin wird bei einer Störung niemand benachrichtigt.",
  },
  receiver_failing: {
    title: ({ what, kind }) =>
      kind ? `${what} hat Nachrichten abgelehnt` : `Nachrichten erreichen ${what} nicht`,
    text: ({ kind, detail = "" }) =>
      kind ? detail : `Sie warten, bis der Empfänger sie wieder annimmt.${detail && ` ${detail}`}`,
  },
  product: { title: ({ what }) => what, text: () => "Das Produkt meldet es." },
  product_silent: {
    title: ({ what }) => `Keine Nachricht mehr: ${what}`,
    text: () => "Vielleicht hängt das Produkt.",
  },
  support_ending: {
    title: ({ when }) => `Die Unterstützung des Herstellers endet am ${when}`,
    text: () => "Planen Sie einen Nachfolger.",
  },
  support_ended: {
    title: ({ when }) => `Die Unterstützung des Herstellers endete am ${when}`,
    text: () => "Fehlerbehebungen sind nicht mehr zu erwarten.",
  },
};
