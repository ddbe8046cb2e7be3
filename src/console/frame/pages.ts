import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { loadTexts, type Part } from "../catalogue/words.ts";
import { lost } from "../client/connection.ts";
import type { ClockResource } from "./clock-state.tsx";

type PageBody = ComponentType<{ readonly clock: ClockResource }>;

/** A part is one file of the console, which is loaded with its texts when one of its pages is opened. */
const parts = {
  people: () => import("./pages/people.ts"),
  device: () => import("./pages/device.ts"),
  records: () => import("./pages/records.ts"),
  settings: () => import("./pages/settings.ts"),
} as const satisfies Partial<Record<Part, () => Promise<{ pages: Readonly<Record<string, PageBody>> }>>>;

/** Every other path belongs to the device. */
const partOf: Readonly<Record<string, keyof typeof parts>> = {
  "/users": "people",
  "/account": "people",
  "/system/logs": "records",
  "/system/events": "records",
  "/system/settings": "settings",
  "/updates": "settings",
};

/** A path, and the page that is drawn there. */
interface Shown {
  readonly path: string;
  readonly Body: PageBody;
}

/** What has been loaded, by its path. */
const loaded = new Map<string, Shown>();

/** The page for a path; until its file is loaded, the page before. null: there was none. */
export function useShown(path: string): Shown | null {
  const [before, setBefore] = useState<Shown | null>(null);
  useEffect(() => {
    let isWanted = true;
    void load(path).then((shown) => {
      if (isWanted) setBefore(shown);
    });
    return () => {
      isWanted = false;
    };
  }, [path]);
  return loaded.get(path) ?? before;
}

/** A file that cannot be loaded is an error of the page; an agent that was updated has other files, so it is tried again. */
async function load(path: string): Promise<Shown> {
  const part = partOf[path] ?? "device";
  const read = () => Promise.all([parts[part](), loadTexts(part)]);
  try {
    const [{ pages }] = await read().catch(() => lost().then(read));
    const bodies: Readonly<Record<string, PageBody>> = pages;
    const shown = { path, Body: bodies[path] ?? (bodies["/system"] as PageBody) };
    loaded.set(path, shown);
    return shown;
  } catch (error) {
    const Body = (): never => {
      throw error;
    };
    return { path, Body };
  }
}
