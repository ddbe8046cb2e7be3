import type { messageWords as en } from "../en/messages.ts";

const inTheRecord = "und sehen Sie sich die Ereignisse des Geräts an.";

export const messageWords: typeof en = {
  from: (address) => (address === "local" ? ", am Gerät selbst" : `, von ${address} aus`),
  ifUnexpected: {
    user: (who) =>
      `Falls Sie das nicht erwartet haben: Machen Sie es rückgängig, beenden Sie die Sitzungen von ${who}, setzen Sie das Passwort zurück ${inTheRecord}`,
    token: (who) =>
      `Falls Sie das nicht erwartet haben: Machen Sie es rückgängig, löschen Sie den API-Token ${who} ${inTheRecord}`,
    "local-root": () =>
      `Falls Sie das nicht erwartet haben: Jemand anderes kann am Gerät als root handeln. Machen Sie es rückgängig, klären Sie, wer das Gerät erreicht, ${inTheRecord}`,
    agent: () =>
      `Falls Sie das nicht erwartet haben: Fragen Sie die Person, die das Gerät betreut, ${inTheRecord}`,
    anonymous: () =>
      `Falls Sie das nicht erwartet haben: Fragen Sie die Person, die das Gerät betreut, ${inTheRecord}`,
    product: (who) => `Gemeldet von der Unit ${who}.`,
  },
  whereToLook: "Der Status des Geräts sagt, was zu tun ist.",
  isOver: (need) => `Hier ist nichts mehr zu tun: ${need}.`,
  comesAndGoes:
    "Das kam innerhalb eines Tages wieder. Bis der Tag vorbei ist, kommt dazu keine Mail mehr, auch nicht, wenn es endet oder wiederkommt: Sehen Sie sich den Status des Geräts an.",
  removed: (receiver) =>
    `Der Empfänger ${receiver} wurde entfernt: Das ist die letzte Nachricht an diese Adresse.`,
  replaced: (receiver) =>
    `Der Empfänger ${receiver} hat jetzt andere Einstellungen oder ein anderes Geheimnis: Diese Nachricht wurde noch mit den bisherigen gesendet.`,
  test: "Testnachricht",
  isTest: "Das ist ein Test: Die Nachrichten dieses Geräts kommen an. Es ist nichts geschehen.",
  footer: "Gesendet von Steward. Antworten auf diese Mail werden nicht gelesen.",
  andMore: (title, others) => `${title}, und ${others} weitere`,
  storm: (count, shown, types) =>
    `${count} Ereignisse sind eingetreten; die ${shown} dringendsten und neuesten folgen. Nach Art: ${types}.`,
  dropped: "Ereignisse fehlen",
  gap: (from, to) =>
    `Die Ereignisse ${from} bis ${to}, oder einige davon, haben nicht alle erreicht, die diese Nachrichten bekommen: Das Gerät musste sie verwerfen, oder ein Server hat sie abgelehnt.`,
};
