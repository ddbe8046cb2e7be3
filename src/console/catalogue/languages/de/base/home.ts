import type { Catalogue } from "../../../words.ts";

export const homePage: Omit<Catalogue["home"], "needs" | "happened" | "actors"> = {
  title: "Start",
  well: "Alles ist in Ordnung.",
  needsYou: (count) => (count === 1 ? "Eine Sache ist zu tun." : `${count} Dinge sind zu tun.`),
  needsAdministrator: (count) =>
    count === 1 ? "Eine Sache braucht einen Administrator." : `${count} Dinge brauchen einen Administrator.`,
  notKnown: "Das Gerät antwortet nicht.",
  notKnownText: "Das hat es zuletzt gemeldet.",
  up: (duration) => `Betriebszeit ${duration}`,
  atAGlance: "Auf einen Blick",
  clock: "Uhr",
  people: "Personen",
  host: "Gerät",
  yours: "Zu tun",
  administrators: "Für einen Administrator",
  deviceName: "Gerätename",
  lately: "Zuletzt",
  dismiss: "Zur Kenntnis nehmen",
  all: "Alle Ereignisse",
  logs: "Protokoll",
  nothingYet: "Es ist noch nichts geschehen.",
  inOrder: "in Ordnung",
  attention: "Handlungsbedarf",
  failing: "gestört",
  within: (span) => `auf ${span} genau`,
  by: (source) => `nach ${source}`,
  noSource: "keine Zeitquelle",
  checked: (when) => `${when} geprüft`,
  neverChecked: "noch nie geprüft",
  releases: { rules: (version) => `Regeln ${version}`, binary: (version) => `Dienst ${version}` },
  offered: (version) => `${version} ist da`,
  updateStates: {
    upToDate: "aktuell",
    available: "Update verfügbar",
    failed: "fehlgeschlagen und zurückgenommen",
    undone: "zurückgenommen",
    underWay: "Update läuft",
    notSetUp: "nicht eingerichtet",
    unknown: "unbekannt",
  },
  accounts: (administrators, all) =>
    `${all} Benutzer, ${administrators} ${administrators === 1 ? "Administrator" : "Administratoren"}`,
  locked: (count) => `${count} gesperrt`,
  withoutFactor: (count) => `${count} ohne zweiten Faktor`,
  everyFactor: "alle mit zweitem Faktor",
  factorOn: "zweiter Faktor an",
  factorOff: "kein zweiter Faktor",
  codesLeft: (count) =>
    `noch ${count === 1 ? "ein Wiederherstellungscode" : `${count} Wiederherstellungscodes`}`,
  disk: "Datenträger",
  memory: "Arbeitsspeicher",
  used: (percent) => `${percent} belegt`,
};

export const needs: Catalogue["home"]["needs"] = {
  rescue: {
    title: () => "Die gespeicherten Daten sind beschädigt",
    text: () => "Es lässt sich nichts ändern, bis root sie am Gerät wiederhergestellt hat.",
    button: "Zum Protokoll",
  },
  setup_required: {
    title: () => "Es gibt noch keinen Administrator",
    text: () => "Legen Sie einen an, bevor das Gerät benutzt wird.",
    button: "Benutzer anlegen",
  },
  program: {
    title: () => "Ein Teil des Programms funktioniert nicht",
    text: ({ cause }) => cause,
    button: "Teile zeigen",
  },
  root_helper: {
    title: () => "Steward erreicht root nicht",
    text: ({ cause }) => cause,
    button: "Teile zeigen",
  },
  host_file: {
    title: () => "Bei der Host-Datei besteht Handlungsbedarf",
    text: ({ cause }) => cause,
    button: "Teile zeigen",
  },
  disk: {
    title: ({ reason }) =>
      reason === "disk_read_only" ? "Der Datenträger nimmt nichts an" : "Der Datenträger braucht Platz",
    text: ({ cause }) => cause,
    button: "Datenträger zeigen",
  },
  state_document: {
    title: () => "Bei den gespeicherten Daten besteht Handlungsbedarf",
    text: ({ cause }) => cause,
    button: "Teile zeigen",
  },
  event_log: {
    title: () => "Beim Ereignisprotokoll besteht Handlungsbedarf",
    text: ({ cause }) => cause,
    button: "Teile zeigen",
  },
  two_factor_key: {
    title: () => "Der Schlüssel der zweiten Faktoren fehlt",
    text: ({ cause }) => cause,
    button: "Teile zeigen",
  },
  clock: {
    title: ({ reason, word, trust }) => {
      if (reason === "battery_clock_wrong") return "Die batteriegepufferte Uhr geht falsch";
      if (reason === "clock_minority_agrees") return "Zu wenige Zeitserver stimmen überein";
      if (reason.endsWith("_externally") || reason.endsWith("_daemon"))
        return "Ein anderes Programm stellt die Uhr";
      if (word === "in_sync") return "Bei den Zeitservern besteht Handlungsbedarf";
      return trust === "none" ? "Der Uhr wird nicht vertraut" : "Die Uhr geht nicht richtig";
    },
    text: ({ cause }) => cause || "Bis dahin können Codes und Updates abgelehnt werden.",
    button: "Uhr richtig stellen",
  },
  listening: {
    title: () => "Der Agent ist nicht überall erreichbar",
    text: ({ cause }) => cause,
    button: "Teile zeigen",
  },
  https: {
    title: () => "Bei HTTPS besteht Handlungsbedarf",
    text: ({ cause }) => cause,
    button: "Teile zeigen",
  },
  updates: {
    title: () => "Bei den Updates besteht Handlungsbedarf",
    text: ({ cause }) => cause,
    button: "Zu den Updates",
  },
  update_available: {
    title: ({ what }) => `${what} ist verfügbar`,
    text: () => "Es wird installiert, sobald ein Administrator das veranlasst.",
    button: "Zum Update",
  },
  update_failed: {
    title: ({ what }) => `${what} ist auf diesem Gerät fehlgeschlagen`,
    text: () =>
      "Es wurde zurückgenommen und wird nicht noch einmal automatisch installiert. Eine neuere Version, die hier läuft, erledigt das.",
    button: "Grund zeigen",
  },
  update_trust_unconfirmed: {
    title: () => "Fingerabdruck des Herausgebers vergleichen",
    text: () => "Bis er bestätigt ist, steht nicht fest, wessen Updates dieses Gerät annimmt.",
    button: "Vergleichen",
  },
  users_locked: {
    title: ({ what, count }) => (what === "" ? `Gesperrte Benutzer: ${count}` : `Gesperrt: ${what}`),
    text: () => "Nach zu vielen falschen Passwörtern oder Codes ist die Anmeldung eine Weile gesperrt.",
    button: "Entsperren",
  },
  two_factor_missing: {
    title: ({ what, count }) =>
      what === ""
        ? `Benutzer ohne den verlangten zweiten Faktor: ${count}`
        : `Ohne den verlangten zweiten Faktor: ${what}`,
    text: () => "Bis sie ihn eingerichtet haben, können sie nichts anderes tun.",
    button: "Zu den Benutzern",
  },
  second_factor_advised: {
    title: ({ what, count }) =>
      what === ""
        ? `Administratoren ohne zweiten Faktor: ${count}`
        : `Administratoren ohne zweiten Faktor: ${what}`,
    text: () => "Ihre Passwörter allein schützen dieses Gerät.",
    button: "Einrichten",
  },
  device_unnamed: {
    title: () => "Geben Sie diesem Gerät einen Namen",
    text: ({ what }) => `Angezeigt wird sein Hostname, ${what}.`,
    button: "Benennen",
  },
  updates_not_set_up: {
    title: () => "Updates sind nicht eingerichtet",
    text: ({ missing }) =>
      missing === "root"
        ? "Es ist kein Vertrauensanker installiert, daher wird kein Update angenommen."
        : "Es ist kein Update-Server eingestellt, daher bekommt dieses Gerät keine Updates.",
    button: "Updates einrichten",
  },
  tokens_ending: {
    title: ({ count }) =>
      count === 1 ? "Ein benutzter API-Token läuft bald ab" : `${count} benutzte API-Token laufen bald ab`,
    text: ({ when }) => `Der erste läuft am ${when} ab. Sein Besitzer kann einen neuen erzeugen.`,
    button: "Zu Ihren Token",
  },
  support_ending: {
    title: ({ when }) => `Die Unterstützung des Herstellers endet am ${when}`,
    text: () => "Planen Sie einen Nachfolger für dieses Gerät.",
    button: "Zum Gerät",
  },
  support_ended: {
    title: ({ when }) => `Die Unterstützung des Herstellers endete am ${when}`,
    text: () => "Mit Updates, die Fehler beheben, ist nicht mehr zu rechnen.",
    button: "Zum Gerät",
  },
};

export const actors: Catalogue["home"]["actors"] = {
  anonymous: "Ein Fremder",
  "local-root": "root am Gerät",
  user: "Ein Benutzer",
  token: "Ein Programm",
  agent: "Das Gerät",
};
