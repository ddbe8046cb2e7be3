import { eventActors, eventSentences } from "../../../../contract/words/de/events.ts";
import { needWords } from "../../../../contract/words/de/needs.ts";
import { problemTitles } from "../../../../contract/words/de/problems.ts";
import type { Catalogue } from "../../words.ts";
import { homePage, needButtons } from "./base/home.ts";

export const ui: Catalogue["ui"] = {
  show: "Anzeigen",
  hide: "Verbergen",
  close: "Schließen",
  done: "Fertig",
  goOn: "Weiter",
  later: "Später",
  remove: "Entfernen",
  name: "Name",
  twoFactor: "Zweiter Faktor",
  progress: "Fortschritt",
  cancel: "Abbrechen",
  save: "Speichern",
  copy: "Kopieren",
  qrOf: (address) => `QR-Code der Adresse ${address}`,
  onlyHere: "Die Adresse dieser Seite gilt nur auf diesem Computer. Für andere öffnet root HTTPS:",
  copied: "Kopiert",
  matches: (count) => (count === 0 ? "Kein Treffer" : `${count} Treffer`),
  marked: "Markiert: Kopieren Sie es mit der Tastatur",
  wait: (left) => `Neuer Versuch in ${left}`,
  download: "Herunterladen",
  print: "Drucken",
  loading: "Wird geladen",
  more: "Mehr laden",
  typeToConfirm: (word) => `Zur Bestätigung ${word} eingeben`,
  unsaved: "Nicht gespeicherte Änderungen",
  unsavedText: "Ihre Änderungen sind nicht gespeichert. Beim Verlassen gehen sie verloren.",
  shownOnce: "Nur dieses eine Mal zu sehen",
  shownOnceText:
    "Das lässt sich nicht noch einmal anzeigen. Erst schließen, wenn es notiert oder weitergegeben ist.",
  leaveSecret: "Trotzdem schließen",
  leave: "Verlassen, ohne zu speichern",
  stay: "Bleiben",
  keepMine: "Meine behalten",
  takeTheirs: "Die andere übernehmen",
  saved: "Gespeichert",
  expires: "Läuft ab",
  unit: "Einheit",
};

export const time: Catalogue["time"] = {
  never: "nie",
  now: "gerade eben",
};

export const problem: Catalogue["problem"] = {
  request: "Anfrage",
  technical: "Technische Einzelheiten",
  notRead: "Dies konnte nicht geladen werden.",
  unexpected: "Auf dieser Seite ist ein Fehler aufgetreten",
  unreachable: {
    title: "Das Gerät hat nicht geantwortet",
    detail:
      "Vielleicht hat es den Auftrag trotzdem ausgeführt. Sehen Sie nach, bevor Sie es noch einmal versuchen.",
    unsent:
      "Es wurde nichts gesendet, und Ihre Eingaben sind noch da. Versuchen Sie es, sobald das Gerät antwortet.",
  },
  binding:
    "Das Cookie dieses Browsers gehört zu einer anderen Anmeldung als diese Seite: Ein anderes Programm unter dieser Adresse kann es gesetzt oder kopiert haben. Melden Sie sich neu an.",
  codes: problemTitles,
  entries: {
    required: () => "Diese Angabe fehlt",
    pattern: () => "Das hat nicht die erwartete Form",
    format: () => "Das hat nicht die erwartete Form",
    type: () => "Eine ganze Zahl wird erwartet",
    minimum: (figure) => `Mindestens ${figure}`,
    maximum: (figure) => `Höchstens ${figure}`,
    minLength: (figure) => (figure === "" ? "Diese Angabe fehlt" : `Mindestens ${figure} Zeichen`),
    maxLength: (figure) => `Höchstens ${figure} Zeichen`,
    minItems: () => "Mindestens einer ist nötig",
    maxItems: (figure) => `Höchstens ${figure}`,
    uniqueItems: () => "Derselbe Eintrag steht zweimal da",
    out_of_range: () => "Das liegt außerhalb des erlaubten Bereichs",
    forbidden: () => "Sie dürfen das nicht ändern",
    no_code: () => "Ein Code hat sechs Ziffern",
    no_recovery_code: () => "Ein Wiederherstellungscode hat 16 Buchstaben und Ziffern",
    must_be_true: () => "Signaturen werden immer geprüft",
    password_too_short: (figure, least) =>
      least === "" ? "" : `Dieses Passwort ist zu kurz: ${figure} Zeichen, nötig sind mindestens ${least}`,
    password_too_long: (figure, most) =>
      most === "" ? "" : `Dieses Passwort ist zu lang: ${figure} Zeichen, möglich sind höchstens ${most}`,
  },
};

export const frame: Catalogue["frame"] = {
  sections: "Bereiche",
  users: "Benutzer",
  system: "System",
  updates: "Updates",
  account: "Ihr Konto",
  signOut: "Abmelden",
  noPage: "Seite nicht gefunden",
  noPageText: (path) => `Unter ${path} gibt es keine Seite. Die Adresse ist vielleicht falsch oder veraltet.`,
  toHome: "Zur Startseite",
  skip: "Zum Inhalt",
  reconnecting: "Das Gerät antwortet nicht. Die Verbindung wird wieder aufgebaut …",
  asOf: (time) => `Sie sehen den Stand von ${time}.`,
  outOfDate: "Steward wurde aktualisiert. Laden Sie die Seite neu.",
  running: {
    requested: (release) => `${release} wird installiert.`,
    installing: (release) => `${release} wird installiert.`,
    confirming: (release) => `${release} muss nun funktionieren. Sonst wird es zurückgenommen.`,
    rolling_back: (release) => `${release} wird zurückgenommen.`,
  },
  watch: "Zusehen",
  toDo: () => "zu tun",
  find: "Suchen",
  findKeys: "Strg K",
  themes: { system: "Aussehen: wie im Browser", light: "Aussehen: hell", dark: "Aussehen: dunkel" },
  help: "Hilfe zu dieser Seite (englisch)",
  metrics: "Metriken",
  reload: "Neu laden",
  clock: "Uhr: ",
  clockTo: ". Zur Uhr.",
  fewCodes: (count) =>
    count === 0
      ? "Sie haben keine Wiederherstellungscodes mehr. Ohne Ihren Authenticator können Sie sich nicht anmelden."
      : `Sie haben noch ${count === 1 ? "einen Wiederherstellungscode" : `${count} Wiederherstellungscodes`}.`,
  codesLink: "Neue erzeugen",
  passwordMustChange: "Wählen Sie ein eigenes Passwort, bevor Sie fortfahren.",
  mustEnrol: "Dieses Gerät verlangt einen zweiten Faktor. Richten Sie ihn ein, bevor Sie fortfahren.",
  clockWords: {
    in_sync: "synchron",
    set_by_hand: "von Hand gestellt",
    not_in_sync: "nicht synchron",
    unknown: "unbekannt",
  },
};

export const signIn: Catalogue["signIn"] = {
  title: "Anmelden",
  username: "Benutzername",
  password: "Passwort",
  code: "Code",
  codeHint: "Die sechs Ziffern Ihres Authenticators",
  recoveryCode: "Wiederherstellungscode",
  recoveryCodeHint: "Einer Ihrer zehn Codes; jeder gilt einmal",
  nextCode: "Warten Sie auf den nächsten Code und geben Sie diesen ein",
  lost: "Ich habe meinen Authenticator verloren",
  lostHint: "Entfernt ihn, damit Sie einen anderen einrichten können",
  skewSuspected: (time) =>
    `Dieser Code gehört zu einer anderen Zeit: Die Uhr des Geräts oder des Authenticators geht falsch. Am Gerät ist es ${time}. Ein Wiederherstellungscode gilt immer.`,
  clockInDoubt: (time) =>
    `Codes hängen von der Uhr des Geräts ab, und sie ist nicht synchron. Am Gerät ist es ${time}.`,
  useRecoveryCode: "Wiederherstellungscode benutzen",
  useCode: "Code benutzen",
  sessionEnded: "Ihre Sitzung ist beendet",
  sessionEndedText: "Melden Sie sich an, um fortzufahren. Ihre Eingaben sind noch da.",
  abandon: "Verwerfen und abmelden",
  atProvider: (name: string) => `Anmelden mit ${name}`,
  windowBlocked:
    "Ihr Browser hat das Fenster für die Anmeldung blockiert. Erlauben Sie es und versuchen Sie es noch einmal.",
  confirmAtProvider:
    "Sie melden sich beim Anbieter an. Tun Sie das noch einmal; fünf Minuten lang werden Sie nicht wieder gefragt.",
  confirmTitle: "Bestätigen Sie, dass Sie es sind",
  confirmText: "Geben Sie Ihr Passwort noch einmal ein. Fünf Minuten lang werden Sie nicht wieder gefragt.",
  confirm: "Bestätigen",
  clockDiffers: (device, browser) => `Die Uhr des Geräts zeigt ${device}, die Ihres Browsers ${browser}.`,
  clockDiffersMeaning:
    "Codes hängen von der Uhr des Geräts ab und werden vielleicht abgelehnt. Ein Wiederherstellungscode gilt immer; danach kann ein Administrator unter System die Uhr stellen.",
  rescue:
    "Die gespeicherten Daten sind beschädigt: Niemand kann sich anmelden. Am Gerät zeigt steward doctor root mehr.",
  usePasskey: "Passkey benutzen",
  noPasskey: "Ihr Browser hat keinen Passkey benutzt:",
  keptOut: "Anmelden nicht möglich?",
};

export const system: Catalogue["system"] = {
  tabs: {
    overview: "Überblick",
    device: "Dieses Gerät",
    settings: "Einstellungen",
    history: "Verlauf",
    logs: "Protokoll",
    events: "Ereignisse",
  },
};

export const home: Catalogue["home"] = {
  ...homePage,
  ...{ needs: needWords, needButtons },
  ...{ happened: eventSentences, actors: eventActors },
};
