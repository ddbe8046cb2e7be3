import { createTimedTable } from "../accounts/timed-table.ts";
import { StewardError } from "../contract/errors.ts";
import type { Uptime } from "../host/ports.ts";
import type { Actor } from "./call.ts";

interface KeyedRequest {
  readonly key: string;
  readonly actor: Actor;
  /** The request itself: the same key with another body is a mistake of the client. */
  readonly body: unknown;
}

/** Seconds for which an answer is kept: clients repeat a request soon, or not at all. */
export const keptSeconds = 300;

/** Answers of all callers together; with more, the oldest of the caller who has the most is dropped. */
const mostKept = 64;

/** Characters; a UUID has 36. */
const longestKey = 255;

/**
 * Keeps successful answers by the Idempotency-Key of their requests (draft-ietf-httpapi-idempotency-key-header): a
 * client whose answer was lost sends the same request again and gets the same answer, and nothing is made twice. They
 * are only in memory, since an answer may hold a secret that is stored nowhere.
 */
export function createKeptAnswers<Answer>(uptime: Uptime) {
  const kept = createTimedTable<{ body: string; answer: Promise<Answer> }>({
    ...{ seconds: keptSeconds, uptime, most: mostKept },
  });
  return {
    /** Throws `validation_failed`, and the errors of `make`. */
    once: ({ key, actor, body }: KeyedRequest, make: () => Promise<Answer>): Promise<Answer> => {
      if (key === "" || key.length > longestKey) throw unfit(`must have 1 to ${longestKey} characters`);
      const caller = "account" in actor ? actor.account.id : actor.kind;
      const id = `${caller} ${key}`;
      const text = JSON.stringify(body);
      const known = kept.get(id);
      if (known !== undefined) {
        if (known.body !== text) throw unfit("was used for another request; use a new one");
        return known.answer;
      }
      const answer = make();
      kept.put(id, { body: text, answer }, caller);
      // Nothing was made: the same request may succeed the next time.
      answer.catch(() => kept.delete(id));
      return answer;
    },
  };
}

function unfit(fault: string): StewardError {
  return new StewardError("validation_failed", `The Idempotency-Key ${fault}. Nothing was done.`);
}
