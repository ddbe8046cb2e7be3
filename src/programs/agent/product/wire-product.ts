import { realpath } from "node:fs/promises";
import { StewardError } from "../../../contract/errors.ts";
import type { Product, Role } from "../../../contract/types.ts";
import type { EventFacts } from "../../../journal/events/event.ts";
import type { WordOptions } from "../../../product/word.ts";
import { readRegular } from "../../../store/files/regular-file.ts";
import { eventsOfNeeds } from "../status/need-events.ts";
import type { ProductParts } from "./open-pages.ts";

export type ProductRoom = Awaited<ReturnType<typeof openProduct>>;

/** The product that the host file names, its units, and its pages, whose visitors sign in here. A device without either loads nothing of them. */
export async function openProduct(parts: ProductParts) {
  const { pages, units, name, versionFile } = parts.config.product;
  const opened = pages.length + units.length > 0 ? (await import("./open-pages.ts")).openPages(parts) : null;
  const word = units.length > 0 ? (await import("../../../product/word.ts")).createWord(heard(parts)) : null;
  const socket =
    opened && word ? (await import("./open-socket.ts")).openProductSocket(parts, { ...opened, word }) : null;
  const ownVersion = await versionIn(versionFile);
  return {
    handlers: opened?.handlers ?? { checkPage: noPage, enterPage: noPage, finishPage: noPage },
    /** Follows the sessions that may no longer open a page, and judges tokens for the product; null: there is no unit to ask. */
    follow: opened?.follow ?? null,
    introspect: opened?.introspect ?? null,
    /** Takes what its units report; null: the host file names no unit. */
    word,
    /** The needs that it has reported. */
    needs: () => word?.needs() ?? [],
    start: () => word?.start().then(() => socket?.listen()),
    stop: () => {
      const closed = socket?.close();
      word?.stop();
      return closed;
    },
    /** The product with the pages that this role may open; null: the host file names none. */
    seenBy: (role: Role): Product | null => {
      if (name === "steward" && pages.length === 0) return null;
      // Without a name of its own for the product, the releases are Steward's.
      const installed = name === "steward" ? null : parts.updates.status().installed.binary;
      return { name, version: installed ?? ownVersion, pages: opened?.pagesFor(role) ?? [] };
    },
  };
}

function heard({ config, host, state: { events } }: ProductParts): WordOptions {
  const record = (facts: EventFacts) => void events.record(facts);
  return { ...host.time, reports: config.product.reports, record, told: () => eventsOfNeeds(events) };
}

function noPage(): never {
  throw new StewardError("not_found", "The host file names no page of the product.");
}

/** The first line of the product's own file; null: there is none, or it says nothing. */
async function versionIn(path: string | null): Promise<string | null> {
  // A product may keep its releases side by side, with a link to the present one.
  const read = async (file: string) => readRegular(await realpath(file), mostVersionBytes);
  const text = path === null ? null : await read(path).catch(() => null);
  const [line = ""] = text?.toString("utf8").split("\n", 1) ?? [];
  return (
    line
      .replace(/[^\x20-\x7e]/g, "")
      .trim()
      .slice(0, mostVersionCharacters) || null
  );
}

const [mostVersionBytes, mostVersionCharacters] = [4_096, 64];
