import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Uptime } from "../../host/ports.ts";
import { hashOfToken } from "./refresh-token.ts";
import { type StoredSession, sessionPrefix } from "./session.ts";
import type { SessionTable } from "./session-table.ts";

/** Seconds between two uses of pages that count, and after which they are on the disk: a crash may lose these. */
const [useSeconds, useWriteSeconds] = [60, 15 * 60];

/** The cookies by which a session's browser is known to pages of the product. */
export function createPageCookies(table: SessionTable, uptime: Uptime, idleSeconds: () => number) {
  const change = (id: string, next: (one: StoredSession) => StoredSession, delaySeconds?: number): void =>
    table.change((all) => all.map((one) => (one.id === id ? next(one) : one)), delaySeconds);
  return {
    /** Lets the session into a page. Returns the value of its cookie there, of which a hash is kept. */
    openPage: (id: string, page: string): string => {
      const value = `${id.slice(sessionPrefix.length)}.${randomBytes(24).toString("base64url")}`;
      change(id, (one) => ({ ...one, pages: { ...one.pages, [page]: hashOfToken(value) } }));
      return value;
    },
    /** The living session that this value of the page's cookie belongs to. */
    ofPage: (page: string, value: string): StoredSession | undefined => {
      const session = table.find(`${sessionPrefix}${value.split(".", 1)[0]}`);
      const { pages = {} } = session ?? {};
      const opened = Object.hasOwn(pages, page) ? pages[page] : undefined;
      const isIts =
        opened !== undefined && timingSafeEqual(Buffer.from(opened), Buffer.from(hashOfToken(value)));
      return isIts ? session : undefined;
    },
    /** The pages that each living session has opened. */
    visits: (): { readonly sessionId: string; readonly page: string }[] =>
      table
        .living()
        .flatMap(({ id, pages = {} }) => Object.keys(pages).map((page) => ({ sessionId: id, page }))),
    /** The use of a page keeps its session from ending unused, as an exchange does; once a minute. */
    keepInUse: ({ id, idle_deadline }: StoredSession): void => {
      const deadline = uptime() + idleSeconds();
      if (deadline < idle_deadline + useSeconds) return;
      change(id, (one) => ({ ...one, idle_deadline: deadline }), useWriteSeconds);
    },
  };
}
