import type { Catalogue } from "../../words.ts";
import { listWords } from "./copied/lists.ts";
import { personWords } from "./copied/person.ts";

export const lists = listWords;

export const person = personWords;

export const users: Catalogue["users"] = {
  add: "Benutzer anlegen",
  you: "Sie",
  displayNameHint: "Steht neben dem Benutzernamen; höchstens 64 Zeichen",
  notAccepted: "Das entspricht nicht der Regel darüber",
  factorOn: (codes) => `ein · ${codes} ${codes === 1 ? "Code" : "Codes"}`,
  factorOff: "aus",
  factorOfProvider: "beim Anmeldeanbieter",
  states: {
    active: "aktiv",
    locked: "gesperrt",
    disabled: "deaktiviert",
    formerProvider: "Anbieter nicht mehr genannt",
  },
  comesBack:
    "Ein Konto des Anmeldeanbieters wird entfernt und kommt bei der nächsten Anmeldung der Person als neues, aktives Konto wieder. Um jemanden fernzuhalten, deaktivieren Sie das Konto stattdessen, oder nehmen Sie die Person beim Anbieter aus den Gruppen.",
  codesLocked: "Codes gesperrt",
  mustChange: "muss das Passwort ändern",
  created: "Angelegt",
  actionsHead: "Aktionen",
  actionsOf: (name) => `Aktionen für ${name}`,
  search: "Suchen",
  total: (total) => `${total} Benutzer`,
  withoutFactor: "ohne zweiten Faktor",
  neverSignedIn: "nie angemeldet",
  choose: "Auswählen",
  chooseOne: (name) => `${name} auswählen`,
  chooseShown: "Alle geladenen auswählen",
  chooseAll: (total) => `Alle ${total} auswählen`,
  chooseNone: "Auswahl aufheben",
  chosen: (count) => `${count} ausgewählt`,
  chosenUsers: "Ausgewählte Benutzer",
  actionsForChosen: "Aktionen für die ausgewählten Benutzer",
  aboutMany: (verb, count) => `${verb}: ${count} Benutzer`,
  notYou: "Ihr eigenes Konto bleibt unberührt.",
  stop: "Anhalten",
  manyProgress: (done, total) => `${done} von ${total}`,
  manyDone: ({ done, failed, left }) =>
    `Erledigt: ${done}.${failed > 0 ? ` Gescheitert: ${failed}.` : ""}${left > 0 ? ` Nicht begonnen: ${left}.` : ""}`,
  outcomeDone: "erledigt",
  each: "Jeder dieser Benutzer",
  many: {
    requirePassword: {
      verb: "Neues Passwort verlangen",
      text: "Das Passwort gilt noch für eine Anmeldung, bei der ein neues gewählt wird.",
    },
    "role-admin": {
      verb: "Zu Administratoren machen",
      text: "Diese Benutzer dürfen auf diesem Gerät alles.",
    },
    "role-operator": {
      verb: "Zu Bedienern machen",
      text: "Diese Benutzer betreiben das Gerät und verwalten weder Benutzer noch Sicherheit.",
    },
    "role-readonly": {
      verb: "Zu Lesern machen",
      text: "Diese Benutzer lesen Protokoll und Zustand und ändern nichts.",
    },
  },
  none: "Kein Benutzer passt zu diesen Filtern.",
  clear: "Filter aufheben",
  lastSeen: "Zuletzt gesehen",
  change: "Ändern",
  week: "Die letzten sieben Tage",
  idle: "In den letzten sieben Tagen ist nichts geschehen.",
  more: (count: number) => `und ${count} weitere`,
  whatTheyDid: "Was getan wurde",
  unknown: "Diesen Benutzer gibt es nicht. Vielleicht wurde er gelöscht.",
  passwordMade: "Einmalpasswort erzeugen",
  passwordMadeHint: "Es wird Ihnen einmal angezeigt und bei der ersten Anmeldung ersetzt",
  passwordTyped: "Passwort eingeben",
  noFactor: "Dieser Benutzer hat keinen",
  selfRole: "Das ist Ihre eigene Rolle: Nur ein anderer Administrator kann sie Ihnen zurückgeben.",
  selfOff:
    "Das ist Ihr eigenes Konto: Sie werden sofort abgemeldet, und nur ein anderer Administrator kann es wieder freigeben.",
  own: "Ihr Passwort, Ihr zweiter Faktor, Ihre Sitzungen und Token",
  theirs: "Gespeichert",
  yours: "Ihre Eingabe",
  untouched: "nicht geändert",
  reason: "Grund",
  reasonHint: "Er wird mit Ihrem Namen aufgezeichnet",
  did: (verb, name) => `${verb}: ${name} ✓`,
  about: (verb, name) => `${verb}: ${name}`,
  actions: {
    unlock: { verb: "Entsperren", text: (name) => `${name} kann sofort wieder versuchen, sich anzumelden.` },
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
