import { isSetupNeed } from "../../contract/need-areas.ts";
import type { AuditEvent } from "../../contract/types.ts";
import { session } from "../session/session.ts";

/**
 * Without what the reader did themself, and what Home lists or listed as a step. Another sign-in from a new address stays:
 * it may have been another person with the reader's password.
 */
export function newsAmong(events: readonly AuditEvent[]): AuditEvent[] {
  const { user, session: own } = session.read() ?? {};
  return events.filter(({ type, code, actor, details }) => {
    const facts = details as { need?: string; level?: string; is_new_address?: boolean; session?: string };
    if (facts.need !== undefined)
      return type === "need.ended" && !isSetupNeed({ code: facts.need, level: facts.level });
    return code !== null || actor.id !== user?.id || (facts.is_new_address && facts.session !== own?.id);
  });
}
