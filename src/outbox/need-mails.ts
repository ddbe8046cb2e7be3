import { createHash } from "node:crypto";
import type { Uptime } from "../host/ports.ts";
import { needKey, type ToldNeed } from "../system/need-watch.ts";
import type { MailedNotice } from "./mail-text.ts";
import { languages } from "./notices.ts";
import type { Message, Notice } from "./receiver.ts";

/** Seconds in which a need has one mail of its beginning and one of its end. */
const daySeconds = 86_400;

export interface MailPlan {
  /** The notices to mail; without any, nothing is sent. */
  readonly notices: readonly MailedNotice[];
  /** Ids of earlier mails about the same needs, without `<` and `>`. */
  readonly references: readonly string[];
  /** Called when the mail was accepted: only then do its notices count as mailed. */
  readonly done: () => void;
}

interface MailedNeed {
  /** The uptime, in seconds, of the first mail in this day. */
  readonly since: number;
  /** The id of the mail of its beginning. */
  readonly id: string;
  /** `quiet`: it came back within a day, and nothing more is mailed about it in this day. */
  readonly state: "began" | "ended" | "quiet";
}

/**
 * Plans mails so that a need has one of its beginning and one of its end in a day. One that comes back within the day
 * is mailed once more, with a remark, so that the last word is never that it was over when it is not. The memory is
 * this process's: after a restart a need may have one mail more.
 */
export function createNeedMails(uptime: Uptime): (message: Message) => MailPlan {
  let mailed: ReadonlyMap<string, MailedNeed> = new Map();
  return (message) => {
    const after = new Map([...mailed].filter(([, { since }]) => uptime() - since < daySeconds));
    const references: string[] = [];
    const remark = languages[message.language].comesAndGoes;
    const notices = message.notices.flatMap((notice) => {
      if (!notice.type.startsWith("need.")) return [notice];
      const key = needKey(notice.event.details as ToldNeed);
      const before = after.get(key);
      references.push(threadOf(message, key), ...(before === undefined ? [] : [before.id]));
      const { next, shown } = step(before, notice, { id: message.id, since: uptime(), remark });
      if (next !== undefined) after.set(key, next);
      return shown;
    });
    return {
      notices,
      references: [...new Set(references)].filter((id) => id !== message.id),
      done: () => {
        mailed = after;
      },
    };
  };
}

function step(
  before: MailedNeed | undefined,
  notice: Notice,
  { remark, ...mail }: Pick<MailedNeed, "id" | "since"> & { readonly remark: string },
): { readonly next: MailedNeed | undefined; readonly shown: readonly MailedNotice[] } {
  const isBeginning = notice.type === "need.began";
  if (before?.state === "quiet") return { next: before, shown: [] };
  if (before === undefined)
    return { next: isBeginning ? { ...mail, state: "began" } : undefined, shown: [notice] };
  if (!isBeginning) return { next: { ...before, state: "ended" }, shown: [notice] };
  return { next: { ...before, state: "quiet" }, shown: [{ ...notice, remark }] };
}

/** An id that no mail has: mail programs show mails that refer to the same one together, also after a restart. */
function threadOf({ device }: Message, key: string): string {
  return `${device.id}-need-${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
}
