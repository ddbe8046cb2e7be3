import type { ErrorCode } from "../../error-codes.ts";

const older = "Diese Seite ist vielleicht älter als das Programm auf dem Gerät.";
const otherServer = "Die Adresse oder der Datenträger gehört nicht dem Herausgeber.";

/** The cause of each error, and what helps. */
export const problemCauses: Readonly<Record<ErrorCode, string>> = {
  malformed_request: older,
  malformed_json: older,
  malformed_path: "Der Link ist beschädigt, oder die Seite ist umgezogen.",
  validation_failed: "Jedes Feld, das zu ändern ist, nennt den Grund.",
  unknown_field: older,
  invalid_cursor: "Während die Liste offen war, kamen Einträge hinzu oder fielen weg.",
  authentication_required: "Die Sitzung ist beendet, oder dieser Browser blockiert Cookies.",
  invalid_credentials:
    "Prüfen Sie Tastaturbelegung und Feststelltaste. Ein Administrator kann das Passwort zurücksetzen.",
  totp_required: "Das Passwort war richtig. Es fehlt noch der zweite Faktor.",
  totp_invalid: "Ein Code gilt 30 Sekunden und hängt von den Uhren des Geräts und des Authenticators ab.",
  totp_reused: "Jeder Code gilt einmal. Der nächste erscheint innerhalb von 30 Sekunden.",
  recovery_code_invalid: "Er wurde vielleicht schon benutzt oder durch neuere Codes ersetzt.",
  passkey_invalid:
    "Er gehört zu einem anderen Namen des Geräts, kam zu spät oder wurde anderswo benutzt. Versuchen Sie es noch einmal, oder nehmen Sie einen Code.",
  challenge_invalid: "Die Zeit zwischen Passwort und Code ist begrenzt.",
  step_up_required: "Das Passwort schützt diese Aktion auch in einer offenen Sitzung.",
  invalid_token: "Die Sitzung ist abgelaufen, wurde anderswo beendet, oder das Passwort wurde geändert.",
  setup_token_required: "Die Anfrage kommt nicht vom Gerät selbst.",
  setup_token_invalid: "Er ist abgelaufen oder wurde ersetzt. Einen neuen gibt es auf dem Gerät.",
  provider_refused:
    "Niemand wurde angemeldet. Beginnen Sie noch einmal; hilft das nicht, zeigen Sie die technischen Einzelheiten einem Administrator dieses Geräts.",
  forbidden: "Ein Administrator kann das tun oder Ihnen eine andere Rolle geben.",
  insufficient_scope: "Ein API-Token kann nur, wofür er angelegt wurde.",
  token_not_allowed: "Dafür muss sich ein Mensch anmelden.",
  two_factor_enrolment_required: "Ein Administrator verlangt für Ihr Konto einen zweiten Faktor.",
  password_wrong: "Prüfen Sie Tastaturbelegung und Feststelltaste.",
  password_change_required: "Ihr Passwort hat eine andere Person gesetzt, oder es muss ersetzt werden.",
  role_missing: "Wer Ihre Gruppen verwaltet, kann Sie in eine aufnehmen, die dieses Gerät kennt.",
  not_found: "Es wurde inzwischen gelöscht oder umbenannt.",
  method_not_allowed: older,
  not_acceptable: older,
  request_timeout: "Die Verbindung zum Gerät ist langsam oder wurde unterbrochen.",
  account_of_provider: "Passwort, zweiter Faktor, Name und Rolle dieses Benutzers werden dort verwaltet.",
  username_taken: "Benutzernamen müssen sich in mehr als Groß- und Kleinschreibung unterscheiden.",
  last_admin:
    "Es zählen nur aktivierte Administratoren dieses Geräts mit eigenem Passwort. Zuerst muss sich ein anderer anmelden.",
  two_factor_already_enabled:
    "Er wurde in einem anderen Fenster oder von einer anderen Person eingeschaltet.",
  two_factor_not_enabled: "Er wurde in einem anderen Fenster oder von einer anderen Person ausgeschaltet.",
  two_factor_not_pending: "Ein QR-Code gilt aus Sicherheitsgründen nur zehn Minuten.",
  passkey_not_possible:
    "Passkeys brauchen einen zweiten Faktor und in der Adresse einen Gerätenamen statt Zahlen. Höchstens zehn sind möglich.",
  two_factor_required_by_policy:
    "Die Sicherheitseinstellungen verlangen ihn. Ein Administrator kann sie ändern.",
  token_limit_reached: "Löschen Sie einen, der nicht mehr gebraucht wird.",
  clock_not_synchronised: "Diese Aktion braucht die richtige Zeit. Stellen Sie zuerst die Uhr.",
  time_sync_disabled: "Zeitserver werden nur gefragt, wenn die Uhr nicht von Hand gestellt wird.",
  conflict_discipliner: "Zwei Programme, die dieselbe Uhr stellen, stören einander. Beenden Sie eines davon.",
  setup_already_done: "Eine andere Person hat den ersten Administrator angelegt.",
  update_trust_not_established:
    "Der Fingerabdruck des Herausgebers muss bestätigt und der Server einmal geprüft werden.",
  update_root_unusable:
    "Die installierte Datei ist beschädigt oder abgelaufen. Bitten Sie den Herausgeber um eine neue.",
  update_not_configured: "Tragen Sie die Adresse des Herausgebers in den Update-Einstellungen ein.",
  update_busy: "Updates laufen nacheinander. Dieses kann beginnen, wenn das andere beendet ist.",
  update_not_set_up: "Welche Arten von Updates es gibt, steht in der Host-Datei. Nur root kann sie ändern.",
  no_update_available: "Die letzte Prüfung hat nichts Neueres für dieses Gerät gefunden.",
  nothing_to_roll_back: "Das ist die erste Version, die auf diesem Gerät funktioniert hat.",
  rollback_needs_root: "Die frühere Version würde ohne Hilfe nicht wieder starten.",
  below_floor: "Der Herausgeber hat ältere Versionen zurückgezogen, etwa unsichere.",
  pinned_by_host: "Das legt auf diesem Gerät nur root fest.",
  host_right_missing: "Der Dienst von Steward wurde ohne dieses Recht installiert.",
  repository_conflict: "Eine andere Person hat gleichzeitig etwas veröffentlicht.",
  repository_unsigned: "Der Herausgeber hat noch nicht alles signiert.",
  etag_mismatch: "Ihre Eingaben sind noch da. Vergleichen Sie sie mit dem aktuellen Stand.",
  payload_too_large: "Wählen Sie eine kleinere Datei oder einen kürzeren Text.",
  unsupported_media_type: older,
  misdirected_request: "Öffnen Sie die Konsole unter dem Namen oder der Adresse des Geräts.",
  password_too_short: "Ein langes Passwort ist schwer zu erraten, auch wenn seine Wörter einfach sind.",
  password_too_long: "Die Regel steht beim Feld.",
  password_blocklisted: "Es steht auf einer Liste häufiger oder gestohlener Passwörter.",
  password_contains_identity: "Wählen Sie eines ohne den Namen des Benutzers oder des Geräts.",
  passphrase_guessable: "Sechs zufällige Wörter sind schwer zu erraten.",
  panic_threshold: "Ein Administrator kann die Quellen prüfen und die Korrektur erlauben.",
  time_implausible: "Es wurde nichts geändert. Prüfen Sie die Quellen oder die Uhr dieses Computers.",
  backup_key_wrong: "Eine Sicherung lässt sich nur mit ihrer Passphrase oder ihrem Schlüssel öffnen.",
  backup_unusable:
    "Sie ist beschädigt oder unvollständig, stammt von einer neueren Version oder ist keine Sicherung von Steward.",
  signature_verification_required:
    "Ohne Signatur wird nichts installiert, selbst wenn ein Angreifer den Server kontrolliert.",
  too_many_attempts: "Nach mehreren Fehlversuchen wartet das Gerät, damit niemand Passwörter durchprobiert.",
  rate_limited: "Das Gerät begrenzt die Anfragen, damit es für alle erreichbar bleibt.",
  account_locked: "Ein Wiederherstellungscode funktioniert trotzdem.",
  headers_too_large: "Für diese Adresse ist im Browser zu viel gespeichert. Löschen Sie ihre Cookies.",
  internal_error: "Das ist ein Fehler im Programm. Einzelheiten stehen im Protokoll des Geräts.",
  update_server_refused: "Die Adresse ist nicht erlaubt, oder dort antwortet ein anderer Server.",
  update_file_missing: "Das Repository des Herausgebers ist unvollständig, oder die Adresse ist falsch.",
  update_web_page:
    "Das Netzwerk verlangt eine Anmeldung, oder der Server sendet für fehlende Dateien eine Seite.",
  update_too_large: otherServer,
  update_metadata_malformed: otherServer,
  update_signature_invalid:
    "Es wurde unterwegs verändert, oder der Herausgeber hat andere Schlüssel. Es wurde nichts installiert.",
  update_rollback_refused:
    "Server oder Datenträger sind veraltet, oder jemand versucht, eine alte Version unterzuschieben.",
  update_metadata_mismatch: "Vielleicht lädt der Herausgeber gerade eine Version hoch.",
  update_metadata_expired: "Der Herausgeber hat sie nicht erneuert, oder die Uhr dieses Geräts geht falsch.",
  update_limit_exceeded: otherServer,
  update_not_acceptable:
    "Sie ist für ein anderes Produkt, einen anderen Kanal oder eine andere Version von Steward.",
  update_archive_unusable:
    "Sie ist kein tar-Archiv, unvollständig oder komprimiert, oder enthält nicht nur Dateien. Es wurde nichts geändert. Senden Sie das Repository des Herausgebers als unkomprimiertes tar-Archiv.",
  update_payload_unsafe:
    "Das Archiv hat Dateien außerhalb seines Verzeichnisses. Es wurde nichts installiert.",
  update_self_test_failed: "Sie läuft auf diesem Gerät nicht. Es wurde nichts geändert.",
  update_payload_mismatch: "Es wurde unterwegs beschädigt oder verändert. Es wurde nichts installiert.",
  update_server_unreachable:
    "Das Netzwerk, der Proxy, die Namensauflösung oder der Server ist gestört, oder sein Zertifikat ist nicht vertrauenswürdig.",
  update_too_slow: "Das Netzwerk oder der Server ist überlastet.",
  setup_required: "Der erste Administrator muss noch angelegt werden.",
  no_time_source: "Prüfen Sie die Liste der Zeitserver und, wenn sie schweigen, das Netzwerk.",
  no_majority: "Mindestens ein Zeitserver geht falsch. Entfernen Sie ihn, oder fügen Sie andere hinzu.",
  provider_unreachable: "Benutzer dieses Geräts melden sich auch ohne ihn mit ihrem Passwort an.",
  hashing_busy: "Passwörter werden nacheinander geprüft.",
  second_factor_unavailable:
    "Der Schlüssel für zweite Faktoren ist nicht lesbar. Ein Wiederherstellungscode funktioniert.",
  state_damaged: "Bis die gespeicherten Daten repariert sind, wird nichts geändert.",
  state_locked: "Sie sind wieder frei, sobald dieser Befehl beendet ist.",
  not_ready: "Teile des Programms fehlen oder sind beschädigt.",
  shutting_down: "Es ist gleich wieder da.",
  storage_full: "Es kann nichts gespeichert werden, bis auf dem Gerät Platz geschaffen ist.",
  storage_unwritable: "Der Datenträger ist schreibgeschützt oder defekt.",
};
