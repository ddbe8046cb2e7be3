import type { Catalogue } from "../../../words.ts";

/** Words of setting up a second factor, for one's own account and for the first run. */
export const enrolmentWords: Catalogue["enrolment"] = {
  inviteText:
    "Mit einem Code von Ihrem Telefon bei jeder Anmeldung ist ein gestohlenes Passwort allein wertlos.",
  enrolText: "Dieses Gerät verlangt einen zweiten Faktor. Richten Sie Ihren ein, um fortzufahren.",
  scan: "Scannen Sie das mit einer Authenticator-App auf Ihrem Telefon.",
  qr: "QR-Code, der den Schlüssel daneben enthält",
  secret: "Schlüssel",
  secretHint: "Zum Eintippen. Er wird nur dieses eine Mal angezeigt.",
  openAuthenticator: "Authenticator auf diesem Rechner öffnen",
  onThisPhone:
    "Übergeben Sie den Schlüssel der Authenticator-App auf diesem Telefon. Kommen Sie dann zurück, und geben Sie den Code ein, den sie zeigt.",
  openMine: "Meine Authenticator-App öffnen",
  otherwise: "Den Schlüssel stattdessen scannen oder eintippen",
  firstCode: "Die sechs Ziffern, die der Authenticator jetzt anzeigt",
  nextCode: "Das ist nicht der aktuelle Code dieses Schlüssels. Geben Sie den nächsten ein.",
  enable: "Einschalten",
  beginAgain: "Noch einmal beginnen",
  allowClock: "Einschalten, obwohl diese Uhr nicht synchron ist",
  allowClockHint: "Geht sie später falsch, brauchen Sie zur Anmeldung einen Wiederherstellungscode.",
  recoveryCodes: "Wiederherstellungscodes",
  recoveryCodesText:
    "Jeder Code meldet Sie einmal ohne Authenticator an. Bewahren Sie sie getrennt von ihm auf. Sie werden nur dieses eine Mal angezeigt.",
  codesFor: (username, device) => `Wiederherstellungscodes für ${username} auf ${device}`,
  codesUse:
    "Bewahren Sie dieses Blatt verschlossen auf, und nicht bei Ihrem Telefon. Ohne das Telefon: Melden Sie sich mit Name und Passwort an, wählen Sie den Wiederherstellungscode, und geben Sie einen von diesen ein. Jeder gilt einmal.",
  kept: "Ich habe diese Codes gesichert",
  keepFirst: "Sichern Sie zuerst die Codes",
};
