import type { UpdateProblemWords } from "../../update-facts.ts";

export const updateProblems: UpdateProblemWords = {
  signature_verification_off: ({ setting }) =>
    `Updates sind gesperrt, weil die Prüfung von Signaturen in den gespeicherten Einstellungen aus ist${setting}. root muss sie einschalten.`,
  channel_not_allowed: ({ channel, allowed_channels, setting }) =>
    `Updates sind gesperrt, weil die Host-Datei den Kanal ${channel} nicht erlaubt${setting}. Wählen Sie einen von diesen: ${allowed_channels?.join(", ")}.`,
  trust_not_installed: () =>
    "Es ist kein Vertrauensanker installiert, deshalb sind Updates gesperrt. Führen Sie auf dem Gerät als root `steward update trust install FILE` mit der Datei root.json Ihres Herausgebers aus.",
  trust_unusable: ({ reason }) => `Der installierte Vertrauensanker lässt sich nicht verwenden. ${reason}`,
  automatic_binary_ineffective: ({ setting }) =>
    `Automatische Updates des Dienstes sind an${setting}, wirken aber erst, wenn dem Herausgeber vertraut wird.`,
  journal_unreadable: ({ reason }) =>
    `Das Verzeichnis der installierten Versionen ist nicht lesbar, deshalb wird nichts installiert. ${reason}`,
  former_not_healthy: ({ what, when, reason }) =>
    `${what} wurde ${when} zurückgenommen. ${reason} Auch ohne dieses Update funktioniert es nicht: Sehen Sie jetzt nach dem Gerät und seinem Protokoll.`,
  refused: ({ what, when, reason, until }) =>
    `Der Installer hat ${what || "es"}${when && ` ${when}`} abgelehnt. ${reason}${again(until)}`,
  installer_unavailable: ({ what, reason, until }) =>
    `Der Installer ließ sich für ${what || "das Update"} nicht starten. ${reason}${again(until)}`,
  request_failed: ({ what, reason }) =>
    `${what || "Das angeforderte Update"} konnte nicht installiert werden. ${reason}`,
  check_failed: ({ count, reason }) =>
    `Die ${count > 1 ? `letzten ${count} Suchen nach Updates sind` : "letzte Suche nach Updates ist"} fehlgeschlagen. ${reason}`,
  not_verifiable: ({ kind, reason }) =>
    `Die letzte Suche konnte nicht prüfen, was der Herausgeber${kind ? ` für ${kind === "rules" ? "das Regelwerk" : "den Dienst"}` : ""} signiert hat; davon wird nichts angenommen. ${reason}`,
};

function again(until: string): string {
  return until && ` Der nächste Versuch kommt ${until}.`;
}
