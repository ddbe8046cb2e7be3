import type { Catalogue } from "../../words.ts";

export const firstRun: Catalogue["firstRun"] = {
  title: "Dieses Gerät einrichten",
  intro:
    "Dieses Gerät hat noch keine Benutzer. Legen Sie den ersten Administrator an, mit einem Passwort, das nur Sie kennen.",
  rescue:
    "Legen Sie einen weiteren Administrator an, oder geben Sie den Namen eines vorhandenen ein, um ein neues Passwort zu setzen. Das beendet die Sitzungen und entfernt den zweiten Faktor und die API-Tokens.",
  token: "Einrichtungs-Token",
  tokenHint: "Auf dem Gerät zeigt ihn der Befehl steward setup-token.",
  alreadyDone: "Dieses Gerät hat schon einen Administrator. Melden Sie sich an.",
  submit: "Administrator anlegen",
};
