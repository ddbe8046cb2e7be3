import type { Catalogue } from "../../words.ts";
import { actors, happened } from "./base/happened.ts";
import { healthWords } from "./base/health.ts";
import { homePage, needs } from "./base/home.ts";

export const ui: Catalogue["ui"] = {
  show: "Anzeigen",
  hide: "Verbergen",
  close: "Schließen",
  cancel: "Abbrechen",
  save: "Speichern",
  copy: "Kopieren",
  copied: "Kopiert",
  matches: (count) => (count === 0 ? "Kein Treffer" : `${count} Treffer`),
  marked: "Markiert: Kopieren Sie es mit der Tastatur",
  wait: (left) => `Neuer Versuch in ${left}`,
  download: "Herunterladen",
  print: "Drucken",
  loading: "Wird geladen",
  more: "Mehr laden",
  actionsOf: (name) => `Aktionen für ${name}`,
  typeToConfirm: (word) => `Zur Bestätigung ${word} eingeben`,
  unsaved: "Nicht gespeicherte Änderungen",
  unsavedText: "Ihre Änderungen auf dieser Seite sind nicht gespeichert. Beim Verlassen gehen sie verloren.",
  shownOnce: "Nur dieses eine Mal zu sehen",
  shownOnceText:
    "Das lässt sich nicht noch einmal anzeigen. Erst schließen, wenn es notiert oder weitergegeben ist.",
  leaveSecret: "Trotzdem schließen",
  leave: "Verlassen, ohne zu speichern",
  stay: "Bleiben",
  notAccepted: "Das entspricht nicht der Regel darüber",
  keepMine: "Meine behalten",
  takeTheirs: "Die andere übernehmen",
  saved: "Gespeichert",
  expires: "Läuft ab",
};

export const time: Catalogue["time"] = {
  never: "nie",
  now: "gerade eben",
};

export const problem: Catalogue["problem"] = {
  request: "Anfrage",
  technical: "Technische Einzelheiten",
  unexpected: "Auf dieser Seite ist ein Fehler aufgetreten",
  unreachable: {
    title: "Das Gerät hat nicht geantwortet",
    detail:
      "Vielleicht hat es den Auftrag trotzdem ausgeführt. Sehen Sie nach, bevor Sie es noch einmal versuchen.",
    unsent:
      "Es wurde nichts gesendet, und Ihre Eingaben sind noch da. Versuchen Sie es noch einmal, sobald das Gerät wieder antwortet.",
  },
  binding:
    "Das Cookie dieses Browsers gehört zu einer anderen Anmeldung als diese Seite: Ein anderes Programm unter dieser Adresse kann es gesetzt oder kopiert haben. Melden Sie sich neu an.",
  codes: {
    malformed_request: "Das Gerät hat die Anfrage nicht verstanden",
    malformed_json: "Das Gerät hat die Anfrage nicht verstanden",
    malformed_path: "Diese Adresse gibt es nicht",
    validation_failed: "Manche Eingaben werden nicht angenommen",
    unknown_field: "Eine der Eingaben kennt das Gerät nicht",
    invalid_cursor: "Diese Liste hat sich geändert",
    authentication_required: "Melden Sie sich zuerst an",
    invalid_credentials: "Benutzername oder Passwort ist falsch",
    totp_required: "Ein Code Ihres Authenticators ist nötig",
    totp_invalid: "Dieser Code wird nicht angenommen",
    totp_reused: "Dieser Code wurde schon benutzt",
    recovery_code_invalid: "Dieser Wiederherstellungscode wird nicht angenommen",
    challenge_invalid: "Das hat zu lange gedauert: Beginnen Sie noch einmal mit dem Passwort",
    step_up_required: "Ihr Passwort ist noch einmal nötig",
    invalid_token: "Sie wurden abgemeldet",
    setup_token_invalid: "Das ist nicht der Einrichtungs-Token",
    provider_refused: "Die Anmeldung beim Anbieter ist fehlgeschlagen",
    forbidden: "Ihre Rolle erlaubt das nicht",
    insufficient_scope: "Der API-Token erlaubt das nicht",
    token_not_allowed: "Mit API-Token ist das nicht möglich",
    two_factor_enrolment_required: "Richten Sie zuerst einen zweiten Faktor ein",
    password_wrong: "Das Passwort ist falsch",
    password_change_required: "Ändern Sie zuerst Ihr Passwort",
    role_missing: "Keine Ihrer Gruppen hat auf diesem Gerät eine Rolle",
    not_found: "Das gibt es nicht",
    method_not_allowed: "Das bietet das Gerät nicht an",
    not_acceptable: "In dieser Form kann das Gerät nicht antworten",
    request_timeout: "Die Anfrage hat zu lange gedauert",
    account_of_provider: "Dieser Benutzer meldet sich beim Anbieter an",
    username_taken: "Einen Benutzer mit diesem Namen gibt es schon",
    last_admin: "Das ist der letzte Administrator, der sich anmelden kann",
    two_factor_already_enabled: "Der zweite Faktor ist schon eingeschaltet",
    two_factor_not_enabled: "Der zweite Faktor ist nicht eingeschaltet",
    two_factor_not_pending: "Das hat länger als zehn Minuten gedauert: Beginnen Sie noch einmal",
    two_factor_required_by_policy: "Dieses Gerät verlangt einen zweiten Faktor",
    token_limit_reached: "Es gibt zu viele API-Token",
    clock_not_synchronised: "Der Uhr dieses Geräts wird nicht vertraut",
    time_sync_disabled: "Die Uhr wird von Hand gestellt",
    conflict_discipliner: "Ein anderes Programm stellt diese Uhr",
    setup_already_done: "Dieses Gerät ist schon eingerichtet",
    update_trust_not_established: "Dem Herausgeber wird noch nicht vertraut",
    update_root_unusable: "Dieser Vertrauensanker lässt sich nicht verwenden",
    update_not_configured: "Es ist kein Update-Server eingestellt",
    update_busy: "Ein anderes Update läuft gerade",
    update_not_set_up: "Updates dieser Art sind auf diesem Gerät nicht eingerichtet",
    no_update_available: "Es ist kein Update verfügbar",
    nothing_to_roll_back: "Es gibt keine frühere Version, zu der man zurückkehren kann",
    rollback_needs_root: "Dieses Update kann jetzt nur root zurücknehmen",
    below_floor: "Diese Version ist älter, als der Herausgeber erlaubt",
    pinned_by_host: "Das kann nur root ändern: Die Host-Datei legt es fest",
    host_right_missing: "Dieser Host gibt dem Agenten kein Recht dazu",
    repository_conflict: "Das Repository hat sich inzwischen geändert",
    repository_unsigned: "Es fehlen Signaturen",
    etag_mismatch: "Ein anderer Benutzer hat das inzwischen geändert",
    payload_too_large: "Das ist zu groß",
    unsupported_media_type: "Dieses Format nimmt das Gerät nicht an",
    misdirected_request: "Unter dieser Adresse antwortet das Gerät nicht",
    password_too_short: "Dieses Passwort ist zu kurz",
    password_too_long: "Dieses Passwort ist zu lang",
    password_blocklisted: "Dieses Passwort ist zu leicht zu erraten",
    password_contains_identity: "Dieses Passwort ist einem Namen zu ähnlich",
    panic_threshold: "Die Zeitquellen verlangen eine zu große Korrektur",
    time_implausible: "Diese Zeit kann nicht stimmen",
    signature_verification_required: "Signaturen werden immer geprüft",
    too_many_attempts: "Zu viele Versuche",
    rate_limited: "Zu viele Anfragen",
    account_locked: "Zu viele falsche Codes: Codes sind eine Weile gesperrt",
    headers_too_large: "Die Anfrage ist zu groß",
    internal_error: "Das Programm auf dem Gerät hat einen Fehler",
    update_server_refused: "Der Update-Server wird nicht akzeptiert",
    update_file_missing: "Auf dem Update-Server fehlt eine Datei",
    update_too_large: "Der Update-Server hat zu viel gesendet",
    update_metadata_malformed: "Der Update-Server hat beschädigte Metadaten gesendet",
    update_signature_invalid: "Das Update ist nicht mit genügend Schlüsseln des Herausgebers signiert",
    update_rollback_refused: "Der Update-Server bietet ältere Metadaten an als zuvor",
    update_metadata_mismatch: "Die Dateien auf dem Update-Server passen nicht zusammen",
    update_metadata_expired: "Die Metadaten auf dem Update-Server sind abgelaufen",
    update_limit_exceeded: "Der Update-Server überschreitet eine Grenze",
    update_not_acceptable: "Diese Version ist nicht für dieses Gerät",
    update_payload_unsafe: "Der Inhalt dieser Version lässt sich nicht sicher entpacken",
    update_self_test_failed: "Die Version hat ihren Selbsttest nicht bestanden",
    update_payload_mismatch: "Heruntergeladen wurde nicht, was signiert ist",
    update_server_unreachable: "Der Update-Server antwortet nicht",
    update_too_slow: "Der Update-Server ist zu langsam",
    setup_required: "Dieses Gerät ist noch nicht eingerichtet",
    no_time_source: "Keine Zeitquelle gibt eine brauchbare Antwort",
    no_majority: "Die Zeitquellen widersprechen einander",
    provider_unreachable: "Der Anmeldeanbieter antwortet nicht",
    hashing_busy: "Das Gerät ist mit anderen Anmeldungen beschäftigt",
    second_factor_unavailable: "Der zweite Faktor lässt sich gerade nicht prüfen",
    state_damaged: "Die gespeicherten Daten dieses Geräts sind beschädigt",
    state_locked: "Ein Befehl auf dem Gerät benutzt die gespeicherten Daten",
    not_ready: "Das Programm auf dem Gerät funktioniert nicht",
    shutting_down: "Das Gerät startet neu",
    storage_full: "Der Datenträger dieses Geräts ist voll",
    storage_unwritable: "Auf den Datenträger dieses Geräts kann nicht geschrieben werden",
  },
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
  noPageText: (path) =>
    `Unter ${path} gibt es keine Seite. Die Adresse ist vielleicht falsch geschrieben oder veraltet.`,
  toHome: "Zur Startseite",
  skip: "Zum Inhalt",
  reconnecting: "Das Gerät antwortet nicht. Die Verbindung wird wieder aufgebaut …",
  asOf: (time) => `Sie sehen den Stand von ${time}.`,
  outOfDate: "Steward wurde aktualisiert. Laden Sie die Seite neu, um die neue Version zu benutzen.",
  running: {
    requested: (release) => `${release} wird installiert.`,
    installing: (release) => `${release} wird installiert.`,
    confirming: (release) =>
      `${release} wird beobachtet. Wenn es nicht funktioniert, wird es zurückgenommen.`,
    rolling_back: (release) => `${release} wird zurückgenommen.`,
  },
  watch: "Zusehen",
  toDo: () => "zu tun",
  find: "Suchen",
  findKeys: "Strg K",
  themes: { system: "Aussehen: wie im Browser", light: "Aussehen: hell", dark: "Aussehen: dunkel" },
  reload: "Neu laden",
  clock: "Uhr: ",
  clockTo: ". Zur Uhr.",
  fewCodes: (count) =>
    count === 0
      ? "Sie haben keine Wiederherstellungscodes mehr. Wenn Sie Ihren Authenticator verlieren, können Sie sich nicht anmelden."
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

export const health: Catalogue["health"] = healthWords;

export const signIn: Catalogue["signIn"] = {
  title: "Anmelden",
  username: "Benutzername",
  password: "Passwort",
  code: "Code",
  codeHint: "Die sechs Ziffern, die Ihr Authenticator anzeigt",
  recoveryCode: "Wiederherstellungscode",
  recoveryCodeHint: "Einer der zehn Codes, die Sie aufbewahrt haben; jeder gilt einmal",
  nextCode: "Warten Sie auf den nächsten Code und geben Sie diesen ein",
  lost: "Ich habe meinen Authenticator verloren",
  lostHint: "Entfernt ihn, damit Sie einen anderen einrichten können",
  skewSuspected: (time) =>
    `Dieser Code gehört zu einer anderen Zeit: Die Uhr des Geräts oder des Authenticators geht falsch. Am Gerät ist es ${time}. Ein Wiederherstellungscode gilt in jedem Fall.`,
  clockInDoubt: (time) =>
    `Codes hängen von der Uhr des Geräts ab, und sie ist nicht synchron. Am Gerät ist es ${time}.`,
  useRecoveryCode: "Wiederherstellungscode benutzen",
  useCode: "Code benutzen",
  sessionEnded: "Ihre Sitzung ist beendet",
  sessionEndedText: "Melden Sie sich an, um fortzufahren. Ihre Eingaben sind noch da.",
  abandon: "Verwerfen und abmelden",
  atProvider: (name: string) => `Anmelden mit ${name}`,
  windowBlocked:
    "Ihr Browser hat das Fenster für die Anmeldung blockiert. Erlauben Sie dieser Seite Fenster und versuchen Sie es noch einmal.",
  confirmAtProvider:
    "Sie melden sich beim Anbieter an. Tun Sie das noch einmal; in den nächsten fünf Minuten werden Sie nicht wieder gefragt.",
  confirmTitle: "Bestätigen Sie, dass Sie es sind",
  confirmText:
    "Geben Sie Ihr Passwort noch einmal ein. In den nächsten fünf Minuten werden Sie nicht wieder gefragt.",
  confirm: "Bestätigen",
  clockDiffers: (device, browser) => `Die Uhr des Geräts zeigt ${device}, die Ihres Browsers ${browser}.`,
  clockDiffersMeaning:
    "Codes hängen von der Uhr des Geräts ab und werden vielleicht abgelehnt. Ein Wiederherstellungscode gilt in jedem Fall; ein Administrator kann danach unter System die Uhr stellen.",
  rescue:
    "Die gespeicherten Daten dieses Geräts sind beschädigt: Es lässt sich nichts ändern, und niemand kann sich anmelden. Am Gerät erfährt root mit steward doctor mehr.",
  help: {
    title: "Anmelden nicht möglich?",
    ways: [
      "Passwort vergessen: Ein Administrator kann es unter Benutzer zurücksetzen.",
      "Authenticator verloren: Nach dem Passwort hilft einer der Wiederherstellungscodes. Ohne einen solchen kann ein Administrator den zweiten Faktor zurücksetzen.",
      "Zu viele falsche Versuche: Diese Seite sagt, wie lange zu warten ist. Ein Administrator kann vorher entsperren.",
      "Kann sich kein Administrator anmelden, lässt root am Gerät mit `steward user rescue NAME` wieder einen herein.",
    ],
  },
  usernameHint: "Etwa ana oder j.schmidt. Der Name lässt sich später nicht ändern.",
  usernameRule:
    "Erwartet werden 3 bis 32 Kleinbuchstaben (a–z), Ziffern, Punkte, Unterstriche oder Bindestriche, am Anfang ein Buchstabe, am Ende ein Buchstabe oder eine Ziffer",
  passwordLength: (minimum) => `${minimum} Zeichen oder mehr.`,
  passwordCount: (length, minimum) =>
    length < minimum ? `${length} von ${minimum} Zeichen.` : `${length} Zeichen: lang genug.`,
  passwordAdvice:
    "Vier Wörter ohne Zusammenhang sind schwer zu erraten; Ziffern und Sonderzeichen sind nicht nötig.",
};

export const system: Catalogue["system"] = {
  tabs: {
    overview: "Überblick",
    settings: "Einstellungen",
    logs: "Protokoll",
    events: "Ereignisse",
  },
};

/** Of a user, for the pages about oneself and about others. */
export const person: Catalogue["person"] = {
  role: "Rolle",
  roles: { admin: "Administrator", operator: "Bediener", readonly: "Leser" },
  mayDo: {
    admin: "Alles: Benutzer, Einstellungen, Sicherheit, Uhr und Updates",
    operator:
      "Betreibt das Gerät: stellt die Uhr nach Zeitservern, sucht nach Updates, ändert Namen und Update-Fenster. Verwaltet weder Benutzer noch Sicherheit.",
    readonly: "Liest Protokoll und Zustand und ändert nichts",
  },
  state: "Zustand",
  lastSignIn: "Letzte Anmeldung",
  displayName: "Anzeigename",
  sessions: "Sitzungen",
  tokens: "API-Token",
  end: "Beenden",
  endOf: (browser) => `Sitzung von ${browser} beenden`,
  lastUsed: "Zuletzt benutzt",
  tokenOfFleet: "Für die Flotte",
  onlyFrom: "nur von",
  noEnd: "Ohne Ende",
  expired: "abgelaufen",
  newPassword: "Neues Passwort",
  done: "Fertig",
  deleteTokenText:
    "Programme mit diesem Token werden sofort abgewiesen. Das lässt sich nicht rückgängig machen.",
};

export const home: Catalogue["home"] = { ...homePage, needs, happened, actors };
