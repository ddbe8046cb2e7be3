import { problemCauses } from "../../../../contract/words/de/problem-causes.ts";
import type { Catalogue } from "../../words.ts";

export const remedies: Catalogue["remedies"] = {
  reload: "Seite neu laden",
  signIn: "Anmelden",
  home: "Zur Startseite",
  users: "Zu den Benutzern",
  account: "Zu Ihrem Konto",
  clock: "Zur Uhr",
  clockSettings: "Zu den Einstellungen der Uhr",
  timeSettings: "Zu den Zeiteinstellungen",
  securitySettings: "Zu den Sicherheitseinstellungen",
  host: "Zum Gerät",
  logs: "Zum Protokoll",
  updates: "Zu den Updates",
  document: "Hilfe zu diesem Problem (englisch)",
  copy: "Befehl kopieren",
  asRoot: "Als root auf dem Gerät:",
};

export const causes = problemCauses;

/** The failures of the browser that are explained. */
export const faults: Catalogue["faults"] = {
  unreadable: {
    title: "Die Datei lässt sich nicht mehr lesen",
    text: "Sie wurde nach der Auswahl geändert oder verschoben. Wählen Sie sie noch einmal.",
  },
  used: {
    title: "Es wurde kein Passkey benutzt",
    text: "Auf diesem Computer oder Schlüssel ist keiner für Ihr Konto, oder die Frage wurde abgebrochen oder ist abgelaufen. Versuchen Sie es noch einmal, oder benutzen Sie einen Code.",
  },
  made: {
    title: "Es wurde kein Passkey angelegt",
    text: "Die Frage wurde abgebrochen oder ist abgelaufen, oder dieser Browser kann keinen aufbewahren. Versuchen Sie es noch einmal.",
  },
  there: {
    title: "Es gibt schon einen Passkey",
    text: "Dieser Computer oder Schlüssel hat einen für Ihr Konto. Nehmen Sie für einen zweiten einen anderen.",
  },
};

export const productPages: Catalogue["productPages"] = {
  forbidden:
    "Diese Seite des Produkts ist für eine höhere Rolle als Ihre. Ein Administrator kann sie Ihnen geben.",
  not_found:
    "Dieses Gerät hat keine Seite des Produkts mit diesem Namen. Die Startseite hat für jede einen Knopf.",
};

export const binding: Catalogue["binding"] =
  "Ein anderes Programm unter dieser Adresse kann das Cookie gesetzt haben. Melden Sie sich neu an.";

/** People who cannot sign in read this. */
export const keptOut: Catalogue["keptOut"] = {
  ways: [
    "Passwort vergessen: Ein Administrator kann es unter Benutzer zurücksetzen.",
    "Authenticator verloren: Nach dem Passwort hilft einer der Wiederherstellungscodes. Ohne einen solchen kann ein Administrator den zweiten Faktor zurücksetzen.",
    "Zu viele falsche Versuche: Diese Seite sagt, wie lange zu warten ist. Ein Administrator kann vorher entsperren.",
  ],
  byRoot: "Kann sich kein Administrator anmelden, kann root wieder einem Zugang geben. Am Gerät:",
};
