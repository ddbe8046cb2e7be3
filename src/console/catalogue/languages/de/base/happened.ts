import type { Catalogue } from "../../../words.ts";

export const actors: Catalogue["home"]["actors"] = {
  anonymous: "Ein Fremder",
  "local-root": "root am Gerät",
  user: "Ein Benutzer",
  token: "Ein Programm",
  agent: "Das Gerät",
};

export const happened: Catalogue["home"]["happened"] = {
  "setup.done": () => "Das Gerät wurde eingerichtet",
  "setup.rescued": ({ about }) => `${about} wurde am Terminal des Geräts eingelassen`,
  "sign_in.succeeded": ({ who }) => `${who} hat sich angemeldet`,
  "sign_in.refused": ({ about }) =>
    about === "" ? "Eine Anmeldung wurde abgelehnt" : `Eine Anmeldung als ${about} wurde abgelehnt`,
  "step_up.succeeded": ({ who }) => `${who} hat das Passwort noch einmal eingegeben`,
  "session.ended": ({ who }) => `${who} hat eine Sitzung beendet`,
  "session.reused": ({ about }) => `Eine kopierte Sitzung von ${about} wurde erkannt`,
  "session.cookie_refused": () => "Ein Sitzungs-Cookie wurde abgelehnt",
  "password.changed": ({ who }) => `${who} hat das eigene Passwort geändert`,
  "user.created": ({ who, about }) => `${who} hat ${about} angelegt`,
  "user.changed": ({ who, about }) => `${who} hat ${about} geändert`,
  "user.deleted": ({ who, about }) => `${who} hat ${about} gelöscht`,
  "user.password_reset": ({ who, about }) => `${who} hat das Passwort von ${about} zurückgesetzt`,
  "user.unlocked": ({ who, about }) => `${who} hat ${about} entsperrt`,
  "user.rescued": ({ who, about }) => `${who} hat ${about} wieder Zugang gegeben`,
  "user.sessions_ended": ({ who, about }) => `${who} hat die Sitzungen von ${about} beendet`,
  "two_factor.set_up": ({ who }) => `${who} richtet einen zweiten Faktor ein`,
  "two_factor.enabled": ({ who }) => `${who} hat den zweiten Faktor eingeschaltet`,
  "two_factor.disabled": ({ who }) => `${who} hat den zweiten Faktor ausgeschaltet`,
  "two_factor.recovered": ({ about }) => `Der verlorene zweite Faktor von ${about} wurde entfernt`,
  "two_factor.recovery_codes_made": ({ who }) => `${who} hat Wiederherstellungscodes erzeugt`,
  "two_factor.skew_seen": ({ about }) => `Ein Code von ${about} gehörte zu einer anderen Zeit`,
  "codes.locked": ({ about }) => `Codes von ${about} sind nach falschen gesperrt`,
  "token.created": ({ who, about }) => `${who} hat den API-Token ${about} erzeugt`,
  "token.rotated": ({ who, about }) => `${who} hat das API-Token ${about} erneuert`,
  "token.deleted": ({ who, about }) => `${who} hat den API-Token ${about} gelöscht`,
  "token.tolerated": ({ who }) =>
    `Eine abgelaufene Anmeldung von ${who} wurde zum Stellen der Uhr angenommen`,
  "clock.epoch_raised": () => "Zugriffstoken wurden nach einem Sprung der Uhr erneuert",
  "clock.stepped": ({ span }) => `Die Uhr wurde um ${span} berichtigt`,
  "clock.set_by_hand": ({ who }) => `${who} hat die Uhr von Hand gestellt`,
  "clock.source_changed": ({ to }) => (to === "" ? "Die Uhr hat keine Zeitquelle" : `Die Uhr folgt ${to}`),
  "clock.contradicted": ({ to }) => `${to} widerspricht der Uhr`,
  "clock.panicked": ({ span }) => `Die Zeitserver verlangen eine zu große Korrektur: ${span}`,
  "clock.contested": () => "Ein anderes Programm hat die Uhr verstellt",
  "clock.sync_requested": ({ who }) => `${who} hat die Zeitserver gefragt`,
  "clock.reselect_requested": ({ who }) => `${who} hat die Zeitserver neu wählen lassen`,
  "clock.floor_reset": ({ who }) => `${who} hat die früheste mögliche Zeit zurückgesetzt`,
  "update.trust_installed": () => "Ein Vertrauensanker wurde installiert",
  "update.trust_confirmed": ({ who }) => `${who} hat den Fingerabdruck des Herausgebers bestätigt`,
  "update.root_rotated": () => "Der Herausgeber hat den Vertrauensanker ersetzt",
  "update.check_requested": ({ who }) => `${who} hat nach Updates gesucht`,
  "update.check_failed": () => "Eine Suche nach Updates ist fehlgeschlagen",
  "update.check_recovered": () => "Die Suche nach Updates geht wieder",
  "update.available": ({ release }) => `${release} ist verfügbar`,
  "update.staged": ({ release }) => `${release} wurde geladen und geprüft`,
  "update.download_failed": ({ release }) => `${release} ließ sich nicht laden`,
  "update.apply_requested": ({ who }) => `${who} hat ein Update angefordert`,
  "update.rollback_requested": ({ who }) => `${who} lässt ein Update zurücknehmen`,
  "update.postponed": ({ who, to }) =>
    /^0/.test(to) ? `${who} verschiebt ein Update nicht länger` : `${who} hat ein Update verschoben`,
  "update.failure_dismissed": ({ who, release }) =>
    `${who} hat den Fehlschlag von ${release} zur Kenntnis genommen`,
  "update.applying": ({ release }) => `${release} wird installiert`,
  "update.applied": ({ release }) => `${release} ist in Ordnung`,
  "update.undone": ({ release }) => `${release} wurde zurückgenommen`,
  "update.refused": ({ release }) =>
    release === "" ? "Ein Update wurde abgelehnt" : `${release} wurde abgelehnt`,
  "settings.changed": ({ who }) => `${who} hat Einstellungen geändert`,
  "configuration.applied": ({ who }) => `${who} hat eine Konfiguration angewendet`,
  "host_file.read": () => "Die Host-Datei wurde neu gelesen",
  "host_file.refused": () => "Die Host-Datei wurde abgelehnt",
  "https.certificate_changed": () => "Das Zertifikat wurde gewechselt",
  "https.certificate_refused": () => "Ein Zertifikat wurde abgelehnt",
  "host.changed": ({ who, to }) =>
    to === "" ? `${who} hat die Zeitzone geändert` : `${who} hat das Gerät ${to} genannt`,
  "host.reboot_requested": ({ who }) => `${who} hat das Gerät neu gestartet`,
  "host.power_off_requested": ({ who }) => `${who} hat das Gerät ausgeschaltet`,
  "host.reset_requested": ({ who }) => `${who} hat das Zurücksetzen auf den Werkszustand angefordert`,
  "host.reset": () => "Das Gerät wurde auf den Werkszustand zurückgesetzt",
  "host.identity_changed": () => "Dieses Gerät hat kopierte Daten übernommen",
  "state.damage_found": () => "Beschädigte Daten wurden gefunden",
  "state.damage_accepted": () => "root hat den Schaden bestätigt",
  "need.began": ({ to }) => `Zu tun: ${to}`,
  "need.ended": ({ to }) => `Erledigt: ${to}`,
  "request.refused": ({ who, code }) => {
    if (code === "step_up_required") return `${who} wurde noch einmal nach dem Passwort gefragt`;
    if (/^(authentication|invalid_token)/.test(code))
      return "Eine Anfrage ohne gültige Anmeldung wurde abgelehnt";
    if (/many|limited|locked/.test(code)) return "Anfragen wurden abgelehnt, weil es zu viele waren";
    if (/wrong|totp|recovery/.test(code))
      return `Ein falsches Passwort oder ein falscher Code von ${who} wurde abgelehnt`;
    return `${who} hat etwas versucht, das nicht erlaubt ist`;
  },
};
