import type { Catalogue } from "../../words.ts";

export const ui: Catalogue["ui"] = {
  show: "Zeigen",
  hide: "Verbergen",
  close: "Schließen",
  cancel: "Abbrechen",
  save: "Speichern",
  copy: "Kopieren",
  copied: "Kopiert",
  marked: "Markiert: mit der Tastatur kopieren",
  wait: (left) => `Neuer Versuch in ${left}`,
  download: "Herunterladen",
  print: "Drucken",
  loading: "Wird geladen",
  retry: "Noch einmal",
  more: "Mehr laden",
  actionsOf: (name) => `Aktionen für ${name}`,
  typeToConfirm: (word) => `Zur Bestätigung ${word} eingeben`,
  unsaved: "Nicht gespeicherte Änderungen",
  unsavedText: "Was hier eingegeben wurde, ist nicht gespeichert. Beim Verlassen geht es verloren.",
  leave: "Verlassen, ohne zu speichern",
  stay: "Bleiben",
  notAccepted: "Das folgt nicht der Regel darüber",
  keepMine: "Meines behalten",
  takeTheirs: "Das andere nehmen",
  saved: "Gespeichert",
  expires: "Läuft ab",
};

export const time: Catalogue["time"] = {
  never: "nie",
  now: "gerade eben",
};

export const problem: Catalogue["problem"] = {
  request: "Anfrage",
  unexpected: "Auf dieser Seite ist etwas schiefgegangen",
  unreachable: {
    title: "Das Gerät hat nicht geantwortet",
    detail: "Ob es getan hat, worum es gebeten wurde, ist nicht bekannt. Vor einem neuen Versuch nachsehen.",
  },
  binding:
    "Das Cookie dieses Browsers gehört zu einer anderen Anmeldung als diese Seite: Ein anderes Programm unter dieser Adresse kann es gesetzt oder kopiert haben. Melden Sie sich neu an.",
  codes: {
    invalid_token: "Sie wurden abgemeldet",
    invalid_credentials: "Benutzername oder Passwort ist falsch",
    totp_invalid: "Dieser Code wird nicht angenommen",
    totp_reused: "Dieser Code wurde schon benutzt",
    recovery_code_invalid: "Dieser Wiederherstellungscode wird nicht angenommen",
    password_wrong: "Das Passwort ist falsch",
    account_locked: "Zu viele falsche Codes: Codes sind eine Weile gesperrt",
    challenge_invalid: "Das hat zu lange gedauert: mit dem Passwort neu beginnen",
    clock_not_synchronised: "Für die Uhr dieses Geräts bürgt niemand",
    setup_token_invalid: "Das ist nicht der Einrichtungs-Token",
    two_factor_not_pending: "Das hat mehr als zehn Minuten gedauert: neu beginnen",
    two_factor_required_by_policy: "Dieses Gerät verlangt einen zweiten Faktor",
    too_many_attempts: "Zu viele Versuche: ein wenig warten",
    forbidden: "Ihre Rolle erlaubt das nicht",
    etag_mismatch: "Jemand anderes hat das inzwischen geändert",
    last_admin: "Das ist der letzte Administrator, der sich anmelden kann",
    username_taken: "Einen Benutzer dieses Namens gibt es schon",
    password_too_short: "Dieses Passwort ist zu kurz",
    password_too_long: "Dieses Passwort ist zu lang",
    password_blocklisted: "Dieses Passwort ist zu leicht zu erraten",
    password_contains_identity: "Dieses Passwort ist wenig mehr als ein Name",
    storage_full: "Der Speicher des Geräts ist voll",
    validation_failed: "Manche Eingaben werden nicht angenommen",
    no_time_source: "Keine Zeitquelle gibt eine brauchbare Antwort",
    no_majority: "Die Zeitquellen sind nicht einig",
    time_sync_disabled: "Die Uhr wird von Hand gestellt",
    conflict_discipliner: "Jemand anderes führt diese Uhr",
    panic_threshold: "Die Quellen wollen eine zu große Korrektur",
    time_implausible: "Diese Zeit kann nicht stimmen",
    rate_limited: "Zu viele Anfragen: ein wenig warten",
  },
};

export const frame: Catalogue["frame"] = {
  sections: "Bereiche",
  users: "Benutzer",
  system: "System",
  updates: "Updates",
  account: "Ihr Konto",
  signOut: "Abmelden",
  language: "Sprache",
  skip: "Zum Inhalt",
  reconnecting: "Das Gerät antwortet nicht. Die Verbindung wird wieder aufgebaut …",
  outOfDate: "Steward wurde aktualisiert. Neu laden, um die passende Konsole zu bekommen.",
  reload: "Neu laden",
  clock: "Uhr: ",
  clockTo: ". Hin zur Uhr.",
  clockBanner:
    "Der Uhr dieses Geräts ist nicht zu trauen. Codes und Updates können deshalb abgelehnt werden.",
  clockLink: "Zur Uhr",
  updatesTrouble: (detail) => `Bei den Updates ist etwas zu tun. ${detail}`,
  updateWaits: (release) => `${release} ist verfügbar und wartet darauf, dass es jemand anwendet.`,
  trustWaits: "Noch hat niemand bestätigt, wessen Updates dieses Gerät nimmt.",
  updatesLink: "Zu den Updates",
  trouble: (part, detail) => `Mit diesem Gerät ist nicht alles in Ordnung (${part}). ${detail}`,
  troubleLink: "Zum System",
  fewCodes: (count) =>
    count === 0
      ? "Sie haben keine Wiederherstellungscodes mehr. Ohne Ihren Authenticator könnten Sie sich nicht anmelden."
      : `Sie haben noch ${count === 1 ? "einen Wiederherstellungscode" : `${count} Wiederherstellungscodes`}.`,
  codesLink: "Neue machen",
  passwordMustChange: "Bevor es weitergeht, ein eigenes Passwort wählen.",
  mustEnrol: "Dieses Gerät verlangt einen zweiten Faktor. Bevor es weitergeht, ihn einrichten.",
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
  codeHint: "Die sechs Ziffern, die Ihr Authenticator zeigt",
  recoveryCode: "Wiederherstellungscode",
  recoveryCodeHint: "Einer der zehn, die Sie aufbewahrt haben; er gilt einmal",
  nextCode: "Den nächsten Code abwarten und eingeben",
  lost: "Mein Authenticator ist verloren",
  lostHint: "Entfernt ihn, damit Sie einen anderen einrichten können",
  skewSuspected: (time) =>
    `Dieser Code gehört zu einer anderen Zeit: Die Uhr des Geräts oder des Authenticators geht falsch. Das Gerät sagt ${time}. Ein Wiederherstellungscode geht trotzdem.`,
  clockInDoubt: (time) =>
    `Codes gehen nach der Uhr des Geräts, und sie ist nicht synchron. Sie sagt ${time}.`,
  useRecoveryCode: "Wiederherstellungscode benutzen",
  useCode: "Code benutzen",
  other: "Als jemand anderes anmelden",
  sessionEnded: "Ihre Sitzung ist beendet",
  sessionEndedText: "Melden Sie sich an. Was Sie eingegeben haben, ist noch da.",
  abandon: "Verwerfen und abmelden",
  confirmTitle: "Bestätigen, dass Sie es sind",
  confirmText: "Dafür ist Ihr Passwort noch einmal nötig, dann fünf Minuten nicht wieder.",
  confirm: "Bestätigen",
  clockDiffers: (device, browser) => `Die Uhr des Geräts sagt ${device}, die Ihres Browsers ${browser}.`,
  clockDiffersMeaning:
    "Codes gehen nach der Uhr des Geräts und werden vielleicht abgelehnt. Ein Wiederherstellungscode geht trotzdem; ein Administrator kann dann unter System die Uhr stellen.",
  rescue:
    "Der Zustand dieses Geräts ist beschädigt, niemand kann sich anmelden. Am Gerät sagt steward state list als root mehr.",
  usernameHint:
    "3 bis 32 Kleinbuchstaben (a–z), Ziffern, Punkte, Unterstriche oder Bindestriche; zuerst ein Buchstabe, zuletzt ein Buchstabe oder eine Ziffer. Er lässt sich später nicht ändern.",
};

export const firstRun: Catalogue["firstRun"] = {
  title: "Dieses Gerät einrichten",
  intro:
    "Noch kann sich niemand anmelden. Sie legen den ersten Administrator an, mit einem Passwort, das sonst niemand kennt.",
  token: "Einrichtungs-Token",
  tokenHint: "Auf dem Gerät zeigt ihn steward setup-token.",
  passwordLength: (minimum) => `${minimum} Zeichen oder mehr.`,
  passwordCount: (length, minimum) =>
    length < minimum ? `${length} von ${minimum} Zeichen.` : `${length} Zeichen: lang genug.`,
  passwordAdvice:
    "Vier Wörter ohne Zusammenhang sind schwer zu erraten; Ziffern und Sonderzeichen sind nicht nötig.",
  alreadyDone: "Dieses Gerät hat schon einen Administrator. Melden Sie sich an.",
  submit: "Administrator anlegen",
};

export const system: Catalogue["system"] = {
  tabs: {
    overview: "Überblick",
    settings: "Einstellungen",
    logs: "Protokoll",
    events: "Ereignisse",
  },
};
