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

export const productPages: Catalogue["productPages"] = {
  forbidden:
    "Diese Seite des Produkts ist für eine höhere Rolle als Ihre. Ein Administrator kann sie Ihnen geben.",
  not_found:
    "Dieses Gerät hat keine Seite des Produkts mit diesem Namen. Die Startseite hat für jede einen Knopf.",
};

/** People who cannot sign in read this. */
export const keptOut: Catalogue["keptOut"] = {
  ways: [
    "Passwort vergessen: Ein Administrator kann es unter Benutzer zurücksetzen.",
    "Authenticator verloren: Nach dem Passwort hilft einer der Wiederherstellungscodes. Ohne einen solchen kann ein Administrator den zweiten Faktor zurücksetzen.",
    "Zu viele falsche Versuche: Diese Seite sagt, wie lange zu warten ist. Ein Administrator kann vorher entsperren.",
  ],
  byRoot: "Kann sich kein Administrator anmelden, lässt root wieder einen herein. Am Gerät:",
};
