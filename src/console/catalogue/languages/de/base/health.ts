import { checkNames, findingWords } from "../../../../../contract/words/de/findings.ts";
import type { Catalogue } from "../../../words.ts";

export const healthWords: Catalogue["health"] = {
  checks: checkNames,
  findings: findingWords,
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
