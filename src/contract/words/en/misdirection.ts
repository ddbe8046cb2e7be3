import { problemCauses } from "./problem-causes.ts";
import { problemTitles } from "./problems.ts";

/** For a person whose browser came by a name that is not the device's. In HTML; `name` has no character of its syntax. */
export const misdirection = {
  title: problemTitles.misdirected_request,
  cause: problemCauses.misdirected_request,
  shown: "On the device, root is shown both by <code>steward tls show</code>.",
  added: (name: string) =>
    `For the device to answer to <code>${name}</code>, root adds it to <code>names</code> in <code>/etc/steward/steward.json</code> and types: <code>systemctl reload steward</code>`,
};
