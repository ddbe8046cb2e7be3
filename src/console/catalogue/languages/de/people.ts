import type { Catalogue } from "../../words.ts";

export const users: Catalogue["users"] = {
  add: "Benutzer anlegen",
  you: "Sie",
  name: "Name",
  displayNameHint: "Steht neben dem Benutzernamen; höchstens 64 Zeichen",
  twoFactor: "Zwei-Faktor",
  factorOn: (codes) => `an · ${codes} ${codes === 1 ? "Code" : "Codes"}`,
  factorOff: "aus",
  states: { active: "aktiv", locked: "gesperrt", disabled: "deaktiviert" },
  codesLocked: "Codes gesperrt",
  mustChange: "muss das Passwort ändern",
  created: "Angelegt",
  actionsHead: "Aktionen",
  search: "Suchen",
  any: "Alle",
  total: (shown, total) => `${shown === total ? "" : `${shown} von `}${total} Benutzer`,
  none: "Kein Benutzer passt zu diesen Filtern.",
  clear: "Filter aufheben",
  unknown: "Diesen Benutzer gibt es nicht. Vielleicht wurde er gelöscht.",
  passwordMade: "Einmalpasswort erzeugen",
  passwordMadeHint: "Es wird Ihnen einmal angezeigt und bei der ersten Anmeldung ersetzt",
  passwordTyped: "Passwort eingeben",
  oneUse: (name) => `Einmalpasswort von ${name}`,
  oneUseText: (name) =>
    `Geben Sie es an ${name} weiter: Es gilt für eine Anmeldung, bei der ein neues Passwort gewählt wird. Es wird nicht noch einmal angezeigt; geht es verloren, setzen Sie das Passwort zurück.`,
  enabled: "Darf sich anmelden",
  lastAdmin:
    "Das ist der letzte Administrator, der sich anmelden kann. Machen Sie zuerst einen anderen Benutzer zum Administrator.",
  noFactor: "Dieser Benutzer hat keinen",
  selfRole: "Das ist Ihre eigene Rolle: Nur ein anderer Administrator kann sie Ihnen zurückgeben.",
  selfOff:
    "Das ist Ihr eigenes Konto: Sie werden sofort abgemeldet, und nur ein anderer Administrator kann es wieder freigeben.",
  own: "Ihr Passwort, Ihr zweiter Faktor, Ihre Sitzungen und Token",
  theirs: "Gespeichert",
  yours: "Ihre Eingabe",
  untouched: "nicht geändert",
  nothing: "Keine",
  reason: "Grund",
  reasonHint: "Er wird mit Ihrem Namen aufgezeichnet",
  did: (verb, name) => `${verb}: ${name} ✓`,
  about: (verb, name) => `${verb}: ${name}`,
  actions: {
    unlock: {
      verb: "Entsperren",
      text: (name) => `${name} kann sofort wieder versuchen, sich anzumelden.`,
    },
    resetTwoFactor: {
      verb: "Zweiten Faktor zurücksetzen",
      text: (name) =>
        `Authenticator und Wiederherstellungscodes von ${name} gelten nicht mehr, alle Sitzungen und API-Token enden. Bis ein neuer Authenticator eingerichtet ist, genügt das Passwort.`,
    },
    resetPassword: {
      verb: "Passwort zurücksetzen",
      text: (name) =>
        `Das Passwort von ${name} gilt nicht mehr, alle Sitzungen und API-Token enden. Der zweite Faktor bleibt.`,
    },
    endSessions: {
      verb: "Sitzungen beenden",
      text: (name, tokens) =>
        `${name} wird überall abgemeldet und kann sich wieder anmelden. API-Token, die weiter gelten: ${tokens}.`,
    },
    disable: {
      verb: "Deaktivieren",
      text: (name) =>
        `${name} wird überall abgemeldet. Anmeldung und API-Token funktionieren erst wieder, wenn der Benutzer aktiviert wird.`,
    },
    enable: {
      verb: "Aktivieren",
      text: (name) =>
        `${name} kann sich wieder anmelden, mit demselben Passwort, zweiten Faktor und denselben API-Token wie zuvor.`,
    },
    delete: {
      verb: "Löschen",
      text: (name) =>
        `${name} wird entfernt, mit zweitem Faktor und API-Token. Das lässt sich nicht rückgängig machen. Um das Konto zu behalten, deaktivieren Sie es stattdessen.`,
    },
  },
};
