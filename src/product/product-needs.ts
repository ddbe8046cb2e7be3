import { StewardError } from "../contract/errors.ts";
import { needFinding, needOf } from "../contract/finding.ts";
import type { Need } from "../contract/types.ts";
import type { Sentence } from "../contract/words/format.ts";
import type { Uptime } from "../host/ports.ts";
import { createBucket } from "../journal/logs/rates.ts";
import type { ToldNeed } from "../system/need-watch.ts";
import type { ProductReport } from "./reports.ts";

const mostNeeds = 16;

/**
 * Ends of needs that count at once, and then six an hour: a need that comes and goes all the time stays, or a product could
 * fill the record and people's mailboxes with its beginnings and ends.
 */
const rateOfEnds = { burst: 16, perSecond: 1 / 600 } as const;

interface Open {
  readonly report: ProductReport;
  readonly unit: string;
  readonly sentences: Sentence;
  /** The uptime until which the product is to repeat it. */
  readonly until: number;
  readonly isSilent: boolean;
  /** The product has ended it. */
  readonly isOver: boolean;
  readonly need: Need;
}

/** The needs of the device that the product has reported (docs/design/product.md, rule 14). */
export function createProductNeeds(uptime: Uptime) {
  const open = new Map<string, Open>();
  const ends = createBucket(rateOfEnds, () => uptime() * 1_000);
  const put = (one: Omit<Open, "need">): void =>
    void open.set(one.report.code, { ...one, need: needFrom(one) });
  /** Ends those that are over, and finds silent ones. Each step that takes a need away takes one of the ends. */
  const settle = (): void => {
    for (const [code, one] of open)
      if (one.isOver) {
        if (ends.take()) open.delete(code);
      } else if (uptime() >= one.until) {
        if (!one.isSilent) put({ ...one, isSilent: true });
      } else if (one.isSilent && ends.take()) put({ ...one, isSilent: false });
  };
  return {
    /** Throws `validation_failed`, and `rate_limited` where there are too many. */
    begin: (report: ProductReport, unit: string, sentences: Sentence): void => {
      if (report.level === "notice")
        throw new StewardError(
          "validation_failed",
          `${report.code} has the level "notice" in product.reports of the host file: a need has "attention" or "failing". Report it as an event, or change its level there.`,
        );
      const before = open.get(report.code);
      if (before === undefined) settle();
      if (before === undefined && open.size >= mostNeeds)
        throw new StewardError(
          "rate_limited",
          `The product has ${mostNeeds} needs, the most. End one with "ok".`,
        );
      const until = uptime() + report.ttlSeconds;
      put({ report, unit, sentences, until, isSilent: before?.isSilent ?? false, isOver: false });
    },
    /** One that is not there has ended already. */
    end: (code: string): void => {
      const one = open.get(code);
      if (one !== undefined) open.set(code, { ...one, isOver: true });
    },
    /** Call it before the product is heard. */
    adopt: (reports: ReadonlyMap<string, ProductReport>, begun: Iterable<ToldNeed>): void => {
      for (const { need, name, unit, en, de } of begun) {
        const report = reports.get(String(name));
        const isOurs = need === "product" || need === "product_silent";
        if (!isOurs || report === undefined || report.level === "notice") continue;
        const isSilent = need === "product_silent";
        const sentences = { en: String(en), ...(de !== undefined && { de: String(de) }) };
        const until = isSilent ? 0 : uptime() + report.ttlSeconds;
        put({ report, unit: String(unit), sentences, until, isSilent, isOver: false });
      }
    },
    present: (): readonly Need[] => {
      settle();
      return [...open.values()].map(({ need }) => need);
    },
  };
}

function needFrom({ report, unit, sentences, isSilent }: Omit<Open, "need">): Need {
  const { code: name, level, page, path } = report;
  const facts = { name, unit, ...sentences, ...(page !== null && { page, path }) };
  const found = isSilent
    ? needFinding("product_silent", facts, `\`systemctl status ${unit}\` says whether it runs.`)
    : needFinding("product", facts);
  return needOf({ ...found, level: level === "failing" ? "failing" : "attention" });
}
