import { reportLevels } from "../product.ts";
import { type EventRows, flag, sometimes, text } from "./row.ts";

/** Events that the product reports (docs/design/product.md, rule 13). */
export const productEvents = {
  "product.reported": {
    ...{ log: "reports", audience: "operations", heard: "as_marked", stale: [] },
    details: {
      code: { ...text, description: "of `product.reports` in the host file" },
      level: { type: "string", enum: reportLevels },
      is_message: { ...flag, description: "true: it leaves the device as a message" },
      en: { ...text, description: "the sentence in English" },
      de: sometimes({ ...text, description: "and in German" }),
    },
  },
} as const satisfies EventRows;
