import type { FindingCode } from "../../findings.ts";
import { type ClockSentence, type ClockWords, type SourceWords, toolOf } from "../clock.ts";
import type { Format } from "../format.ts";

/** `2 s nach`. */
export const lag = (seconds: number | null | undefined, { span }: Pick<Format, "span">): string =>
  `${span(Math.abs(seconds ?? 0))} ${(seconds ?? 0) < 0 ? "vor" : "nach"}`;

const when = (at: string | null | undefined, { moment }: Format): string =>
  at ? moment(at) : "ein unmögliches Datum";

const no_time_source: ClockSentence = ({ server }) =>
  `Keiner der Zeitserver gibt eine brauchbare Antwort${server ? `: ${server} weist dieses Gerät ab. Nennen Sie in den Zeiteinstellungen andere.` : ". Prüfen Sie das Netzwerk und die Zeiteinstellungen."}`;

const no_majority: ClockSentence = () =>
  "Die Zeitserver widersprechen einander; es gibt keine Mehrheit. Entfernen Sie in den Zeiteinstellungen den falschen, oder fügen Sie andere hinzu.";

/** `configured`: with `time.authenticated_only` the number of servers with NTS. */
const too_few: ClockSentence = ({ agreeing, configured, needed }) => {
  const servers = configured == null ? "Zeitserver" : `${configured} authentifizierten Zeitserver`;
  const found =
    agreeing === 1
      ? `Nur einer der ${servers} gibt eine brauchbare Antwort`
      : `Nur ${agreeing} der ${servers} stimmen überein`;
  return `${found}; nötig sind ${needed}. Fügen Sie Server hinzu, oder prüfen Sie, warum die anderen schweigen.`;
};

const suspect: ClockSentence = ({ server }) =>
  `Der einzige Zeitserver, ${server}, hat zwei widersprüchliche Antworten gegeben. Die Uhr wurde nicht geändert. Fügen Sie in den Zeiteinstellungen einen zweiten hinzu.`;

const panic_threshold: ClockSentence = ({ offset_seconds }, format) =>
  `Die Zeitserver sagen, diese Uhr geht ${lag(offset_seconds, format)}. Das ist mehr, als die Einstellungen erlauben. Prüfen Sie die Zeitserver.`;

const below_floor: ClockSentence = ({ measured_at }, format) =>
  `Die Zeitserver sagen ${when(measured_at, format)}. Diese Zeit ist sicher vorbei. Prüfen Sie die Zeitserver.`;

const beyond_ceiling: ClockSentence = ({ measured_at }, format) =>
  `Die Zeitserver sagen ${when(measured_at, format)}, mehr als 15 Jahre nach der Entstehung dieses Programms. Prüfen Sie die Zeitserver.`;

const votes: ClockSentence = ({ agreeing, configured, needed, daemon }) => {
  const sources = daemon == null ? "eingestellten Servern" : "seiner Quellen";
  return `${agreeing} von ${configured} ${sources} ${agreeing === 1 ? "stimmt" : "stimmen"} überein: Die Zeit wird verwendet; voll vertraut wird ihr erst, wenn ${needed} übereinstimmen. Prüfen Sie, warum die anderen schweigen oder abweichen.`;
};

const conflicts: ClockWords["conflicts"] = {
  other_daemon: ({ daemon }) => `Auch ${daemon} stellt diese Uhr.`,
  clock_stepped: ({ step_seconds }, { span }) =>
    `Ein anderes Programm oder eine Person hat die Uhr um ${span(Math.abs(step_seconds ?? 0))} ${(step_seconds ?? 0) < 0 ? "zurückgestellt" : "vorgestellt"}.`,
  frequency_set: ({ frequency_ppm }) =>
    `Ein anderes Programm hat die Frequenz der Uhr auf ${frequency_ppm?.toFixed(3)} ppm gesetzt.`,
};

const onlyMeasures = "Bis dahin misst Steward die Uhr nur.";

const findTheCause: ClockSentence = () => `Finden Sie die Ursache. ${onlyMeasures}`;

const conflictAdvice: ClockWords["conflictAdvice"] = {
  other_daemon: () =>
    `Beenden Sie eines der beiden Programme, oder wählen Sie in den Zeiteinstellungen „Automatisch“. ${onlyMeasures}`,
  clock_stepped: findTheCause,
  frequency_set: findTheCause,
};

const notSet =
  (reason: string): ClockSentence =>
  ({ offset_seconds, isMeasured }, format) => {
    const state = isMeasured ? "wird gemessen, aber nicht gestellt" : "wird nicht gestellt";
    const off =
      offset_seconds == null
        ? ""
        : ` Sie geht ${lag(offset_seconds, format)}; bei der Anmeldung wird das berücksichtigt.`;
    return `Die Uhr des Geräts ${state}: ${reason}.${off}`;
  };

const daemonTrouble =
  (trouble: string, advice = ""): ClockSentence =>
  ({ daemon, cause }) => {
    const said = cause == null ? "" : ` (${cause})`;
    return `${toolOf(daemon)} ${trouble}${said}: Der Zustand von ${daemon} ist unbekannt.${daemon === "chronyd" ? advice : ""}`;
  };

export const clockWords: ClockWords = {
  summary: {
    not_measured: () =>
      "Die Uhr wurde noch nicht gemessen. „Quellen neu wählen“ misst sie und stellt nichts.",
    rescue: () =>
      "Die gespeicherten Daten dieses Geräts sind beschädigt, deshalb wird die Uhr nicht gestellt. Am Gerät erfährt root mit steward doctor mehr.",
    acquiring: () => "Die Zeitserver werden gefragt.",
    synchronised: () => "Die Uhr geht richtig.",
    host_not_corrected: () => "Die richtige Zeit ist bekannt.",
    manual: () => "Die Uhr wird von Hand gestellt; kein Zeitserver wird gefragt.",
    set_by_hand: () => "Die Uhr wurde von Hand gestellt.",
    conflict: () => "Ein anderes Programm oder eine Person stellt diese Uhr.",
    daemon_not_read: ({ daemon }) => `${daemon} stellt diese Uhr. Der Zustand ist noch nicht bekannt.`,
    daemon_synchronised: ({ daemon }) => `${daemon} hält diese Uhr genau.`,
    daemon_unsynchronised: ({ daemon }) => `${daemon} läuft, kennt die Zeit aber noch nicht.`,
    to_be_confirmed: ({ offset_seconds }, format) =>
      `Die Quellen sagen, diese Uhr geht ${lag(offset_seconds, format)}. Zwei weitere Messungen müssen das bestätigen; „Jetzt synchronisieren“ stellt die Uhr sofort.`,
    no_servers: () =>
      "Es sind keine Zeitserver eingestellt. Fügen Sie in den Zeiteinstellungen welche hinzu, oder stellen Sie die Uhr nach diesem Browser.",
  },
  ...{ conflicts, conflictAdvice },
  remarks: { runs_on: () => "Bis dahin läuft die Uhr mit der zuletzt bekannten Frequenz weiter.", votes },
  daemonTroubles: {
    command_failed: daemonTrouble("ließ sich nicht starten"),
    unknown_format: daemonTrouble("antwortet in einem unbekannten Format"),
    no_answer: daemonTrouble(
      "bekommt keine Antwort",
      " Sein Befehlsport muss auf 127.0.0.1 offen sein: Entfernen Sie „cmdport 0“ aus seiner Konfiguration.",
    ),
    not_observable: ({ daemon }) => `Steward kann nicht erkennen, wie genau ${daemon} die Zeit hält.`,
  },
  notSet: {
    chosen: notSet("So ist es in den Zeiteinstellungen gewählt"),
    no_daemon: notSet("Ein anderes Programm soll das tun, aber es läuft keines"),
    other_daemon: notSet("Ein anderer Zeitdienst läuft"),
    external_change: notSet("Ein anderes Programm oder eine Person hat sie geändert"),
    not_asked_to: notSet("Der Agent wurde ohne Erlaubnis dazu gestartet"),
    no_addon: notSet(
      "clock-steering.node liegt nicht neben dem Programm oder passt nicht zu dieser Maschine",
    ),
    no_capability: notSet("Dem Agenten fehlt das Recht dazu (CAP_SYS_TIME)"),
  },
};

const withAdvice =
  (code: keyof ClockWords["conflicts"]): ClockSentence =>
  (facts, format) =>
    `${conflicts[code](facts, format)} ${conflictAdvice[code](facts, format)}`;

/** The findings about the clock. */
export const clockFindings: Readonly<
  Record<Extract<FindingCode, `clock_${string}` | "battery_clock_wrong">, ClockSentence>
> = {
  clock_set_by_other_daemon: withAdvice("other_daemon"),
  clock_stepped_externally: withAdvice("clock_stepped"),
  clock_frequency_set_externally: withAdvice("frequency_set"),
  clock_no_time_source: no_time_source,
  clock_no_majority: no_majority,
  clock_too_few_agree: too_few,
  clock_too_few_authenticated: too_few,
  clock_minority_agrees: votes,
  clock_server_suspect: suspect,
  clock_panic_threshold: panic_threshold,
  clock_below_floor: below_floor,
  clock_beyond_ceiling: beyond_ceiling,
  battery_clock_wrong: ({ offset_seconds }, format) =>
    `Die batteriegepufferte Uhr ging beim Start von Steward ${lag(offset_seconds, format)}: Ohne Strom hält sie die Zeit nicht. Nach einem Stromausfall ist die Zeit falsch, bis ein Zeitserver antwortet. Tauschen Sie ihre Batterie.`,
};

export const sourceWords: SourceWords = {
  reasons: {
    not_asked: "noch nicht gefragt",
    not_heard: "keine brauchbare Antwort",
    same_server: "derselbe Server wie ein anderer",
    name_not_found: "der Name wird nicht gefunden",
    name_not_answered: "die Namensserver antworten nicht; mit DNSSEC womöglich nicht, bevor die Uhr stimmt",
    no_address: "der Name hat keine Adresse",
    local_address: "nicht gefragt: auf diesem Gerät oder seinem Link, und nicht eingestellt",
    timeout: "keine Antwort in 5 s",
    connection_refused: "dort läuft kein Zeitserver",
    network_unreachable: "keine Netzwerkverbindung dorthin",
    host_unreachable: "kein Weg dorthin",
    system_error: "die Anfrage ist fehlgeschlagen",
    bad_packet: "die Antwort ist unbrauchbar",
    server_unsynchronised: "selbst nicht synchron",
    too_uncertain: "geht womöglich um mehr falsch, als time.max_root_distance erlaubt",
    kiss_denied: "weist dieses Gerät ab",
    kiss_rate: "will seltener gefragt werden",
    second_opinion_differs: "eine zweite Messung ergab eine andere Zeit",
    majority_differs: "ignoriert, weil die Mehrheit etwas anderes sagt",
    below_floor: "gibt eine Zeit an, die sicher vergangen ist",
    beyond_ceiling: "gibt eine Zeit über 15 Jahre nach der Entstehung dieses Programms an",
    too_few_agree: "ignoriert, weil zu wenige andere übereinstimmen",
    no_majority: "keine Gruppe von Quellen ist eine Mehrheit",
    scatters: "schwankt mehr als die anderen",
    not_preferred: "brauchbar, aber andere werden bevorzugt",
    not_selected: "noch nicht gewählt",
    varies: "die Zeit schwankt zu stark",
    spike: "die letzte Antwort wich zu stark ab",
    not_authenticated: "nicht gefragt, weil nicht authentifiziert",
    not_authentic: "die Antwort ist nicht authentisch",
    nts_nak: "das eigene Cookie ist nicht mehr bekannt",
    nts_unreachable: "Schlüsselaustausch: keine Netzwerkverbindung dorthin",
    nts_tls_version: "spricht TLS nur bis 1.2, NTS braucht 1.3",
    nts_closed: "Schlüsselaustausch: Verbindung geschlossen",
    nts_not_offered: "bietet kein NTS",
    nts_unknown_authority: "Zertifikat: Stelle nicht bekannt",
    nts_wrong_name: "Zertifikat: anderer Name",
    nts_certificate_expired: "Zertifikat: abgelaufen",
    nts_certificate_not_yet_valid: "Zertifikat: noch nicht gültig",
    nts_bad_certificate: "Zertifikat: unbrauchbar",
    nts_cannot_verify: "Zertifikat: hier nicht prüfbar",
    nts_refused: "Schlüsselaustausch: verweigert",
    nts_no_answer: "Schlüsselaustausch: keine Antwort",
    nts_not_confirmed: "Zertifikat: Gültigkeit wird geprüft, wenn eine Mehrheit übereinstimmt",
  },
  atLastPoll: (reason) => `letzte Abfrage: ${reason}`,
};
