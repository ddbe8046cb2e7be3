import type { misdirection as inEnglish } from "../en/misdirection.ts";
import { problemCauses } from "./problem-causes.ts";
import { problemTitles } from "./problems.ts";

export const misdirection: typeof inEnglish = {
  title: problemTitles.misdirected_request,
  cause: problemCauses.misdirected_request,
  shown: "Am Gerät zeigt <code>steward tls show</code> root beides.",
  added: (name) =>
    `Soll das Gerät auf <code>${name}</code> antworten, ergänzt root den Namen unter <code>names</code> in <code>/etc/steward/steward.json</code> und gibt ein: <code>systemctl reload steward</code>`,
};
