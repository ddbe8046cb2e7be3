import { clockWords, lag, sourceWords } from "../../../../contract/words/de/clock.ts";
import { findingWords, checkNames as names } from "../../../../contract/words/de/findings.ts";
import type { Catalogue } from "../../words.ts";

export const checkNames: Catalogue["checkNames"] = names;

export const findings: Catalogue["findings"] = findingWords;

export const clock: Catalogue["clock"] = {
  words: clockWords,
  sourceWords,
  within: (size) => `Synchron, auf ${size} genau.`,
  offBy: (offset) => `Nicht synchron: Dieses Gerät geht ${offset}.`,
  states: {
    holdover: "läuft ohne ihre Quellen weiter",
    freerun: "zu lange ohne ihre Quellen",
    faulty: "widerspricht ihren Quellen",
  },
  trusts: {
    trusted: "vertrauenswürdig",
    accepted: "vertrauenswürdig ohne Mehrheit",
    none: "nicht vertrauenswürdig",
  },
  behindUs: (size) => `${size} früher als dieses Gerät`,
  aheadOfUs: (size) => `${size} später als dieses Gerät`,
  earlier: (size) => `${size} früher`,
  later: (size) => `${size} später`,
  lag,
  sync: "Jetzt synchronisieren",
  reselect: "Quellen neu wählen",
  byBrowser: "Uhr des Geräts nach diesem Browser stellen",
  asking: (servers, answers) =>
    `${servers} ${servers === 1 ? "Quelle wird" : "Quellen werden"} gefragt, Antworten bisher: ${answers}`,
  measured: (offset) => `Gemessen: Die Uhr geht ${offset}.`,
  done: "Die Uhr wurde gestellt.",
  steppedForward: (size) => `um ${size} vorgestellt`,
  steppedBack: (size) => `um ${size} zurückgestellt`,
  whyBusy: "Sie wird gerade gemessen",
  whyManual: "Die Uhr wird von Hand gestellt.",
  whyKept: "Die Uhr geht richtig. Wählen Sie zuerst „Von Hand“ in den Zeiteinstellungen.",
  noServers: "Ohne Zeitserver lässt sich die Zeit nicht messen.",
  toSettings: "Zeiteinstellungen öffnen",
  sources: "Quellen",
  thisHost: "0 · dieses Gerät",
  agreement: (count, offset) =>
    `${count === 1 ? "Eine Quelle sagt" : `${count} Quellen sagen`}: Dieses Gerät geht ${offset}.`,
  noAgreement: "Die Quellen stimmen nicht überein.",
  sourceStates: {
    selected: "gewählt",
    candidate: "stimmt überein",
    outlier: "schwankt",
    falseticker: "falsch",
    unreachable: "nicht erreichbar",
    kod: "weist Anfragen ab",
    suspect: "verdächtig",
    unused: "nicht benutzt",
  },
  details: "Einzelheiten",
  differNot: "Browser und Gerät stimmen auf 2\u00a0s überein.",
  browserWrong: (time) => `Die Uhr dieses Browsers zeigt ${time}. Stellen Sie sie dort.`,
  browserLater: (size) => `Dieser Browser geht ${size} vor.`,
  browserEarlier: (size) => `Dieser Browser geht ${size} nach.`,
  broken: "Solange der Uhr nicht vertraut wird",
  brokenThings: () => [
    "Richtige Codes werden vielleicht abgelehnt. Wiederherstellungscodes gelten.",
    "Ein zweiter Faktor lässt sich nicht einrichten.",
    "API-Token und Zertifikate gelten nach der letzten vertrauenswürdigen Zeit.",
    "Updates warten: Nichts wird automatisch installiert.",
  ],
  whoMay: (isAlone) =>
    isAlone
      ? "Ein Administrator kann die Uhr nach seinem Browser stellen oder Zeitserver hinzufügen."
      : "Ein Administrator kann sie auch nach seinem Browser stellen.",
  byBrowserTitle: "Die Uhr nach Ihrem Browser stellen",
  byBrowserVerb: "Uhr stellen",
  byBrowserText:
    "Codes, Token und Updates richten sich dann nach der Zeit Ihres Browsers, bis Zeitserver antworten. Alle Benutzer bleiben angemeldet.",
  force: "Trotzdem richtig stellen",
  forceTitle: "Eine größere Korrektur als erlaubt vornehmen",
  forceText: (offset) =>
    `Die Quellen sagen: Dieses Gerät geht ${offset}. Die Uhr wird sofort gestellt; alle Benutzer bleiben angemeldet. Lagen die Quellen falsch, tragen Sie andere ein.`,
  forceByAdmin: "Ein Administrator kann sie trotzdem richtig stellen.",
  advice: {
    no_time_source:
      "Der Grund steht unten. Prüfen Sie Netzwerk und Zeiteinstellungen; ohne Netzwerk kann ein Administrator die Zeit des Browsers übernehmen.",
    no_majority: "Entfernen Sie in den Zeiteinstellungen die falsche Quelle, oder fügen Sie andere hinzu.",
    panic_threshold: "Die Korrektur ist größer als erlaubt. Prüfen Sie, ob die Quellen stimmen.",
    time_implausible: "Nichts wurde geändert. Prüfen Sie die Quellen oder die Uhr Ihres Computers.",
  },
};

export const facts: Catalogue["facts"] = {
  health: "Prüfungen",
  versions: "Versionen",
  hostname: "Hostname",
  timeZone: "Zeitzone",
  product: "Produkt",
  supportUntil: "Unterstützt bis",
  model: "Modell",
  processor: "Prozessor",
  cores: (count) => (count === 1 ? "1 Kern" : `${count} Kerne`),
  swap: "Swap",
  disk: (mount) => `Datenträger ${mount}`,
  ownDisk: "Datenträger der Daten",
  free: (free, total) => `${free} von ${total} frei`,
  load: "Last",
  temperature: (sensor) => `Temperatur, ${sensor}`,
  uptime: "Betriebszeit",
  machine: "Maschine",
  allWell: (checks) => `Alle ${checks} Prüfungen bestanden`,
  agent: "Steward",
  commit: "Commit",
  buildDate: "Gebaut",
  os: "System",
  kernel: "Kernel",
  deviceId: "Geräte-ID",
};
