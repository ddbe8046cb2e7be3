import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadNeededPart, type PagePart } from "../client/parts.ts";
import { HomePage } from "../home/home-page.tsx";
import { pageOf } from "../navigation/paths.ts";
import { NoPage } from "./no-page.tsx";

const partOf: Readonly<Record<string, PagePart>> = {
  "/system": "device",
  "/system/device": "machine",
  "/users": "people",
  "/users/*": "people",
  "/account": "account",
  "/system/logs": "logs",
  "/system/events": "events",
  "/system/settings": "settings",
  "/system/history": "history",
  "/updates": "updates",
  "/product/*": "product",
};

interface Shown {
  readonly path: string;
  readonly Body: ComponentType;
}

/** Pages that are loaded, by path; the first one comes with the frame. */
const loaded = new Map<string, Shown>([["/", { path: "/", Body: HomePage }]]);

/** The page at an address; until its file is loaded, the page before. null: there was none. */
export function useShown(address: string): Shown | null {
  const path = pageOf(address);
  const [before, setBefore] = useState<Shown | null>(null);
  useEffect(() => {
    let isWanted = true;
    const known = loaded.get(path);
    if (known !== undefined) return setBefore(known);
    void load(path).then((shown) => {
      if (isWanted) setBefore(shown);
    });
    return () => {
      isWanted = false;
    };
  }, [path]);
  return loaded.get(path) ?? before;
}

export function preload(address: string): void {
  const path = pageOf(address);
  if (!loaded.has(path)) void load(path);
}

/** A part that cannot be loaded is an error of its page. */
async function load(path: string): Promise<Shown> {
  try {
    const part = partOf[path];
    if (part === undefined) return { path, Body: NoPage };
    const { pages } = await loadNeededPart(part);
    const shown = { path, Body: pages[path] ?? NoPage };
    loaded.set(path, shown);
    return shown;
  } catch (error) {
    const Body = (): never => {
      throw error;
    };
    return { path, Body };
  }
}
