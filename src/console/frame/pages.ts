import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { lost } from "../client/connection.ts";
import type { ClockResource } from "./clock-state.tsx";

type PageBody = ComponentType<{ readonly clock: ClockResource }>;

type Part = () => Promise<{ readonly pages: Readonly<Record<string, PageBody>> }>;

const people: Part = () => import("./pages/people.ts");
const device: Part = () => import("./pages/device.ts");
const settings: Part = () => import("./pages/settings.ts");

/** Pages come in parts, each a file of its own, which is loaded when one of its pages is opened. */
const parts: Readonly<Record<string, Part>> = {
  "/users": people,
  "/account": people,
  "/system/settings": settings,
  "/updates": settings,
};

/** A path, and what is drawn there. */
interface Shown {
  readonly path: string;
  readonly Body: PageBody;
}

/** What has been loaded, by its path. */
const loaded = new Map<string, Shown>();

/** What is drawn for a path; until its file is there, what was drawn before. null: nothing was. */
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

/** A part that cannot be had is an error of the page; an agent that was updated has other files, so it is loaded anew. */
async function load(path: string): Promise<Shown> {
  const read = parts[path] ?? device;
  try {
    const { pages } = await read().catch(() => lost().then(read));
    const shown = { path, Body: pages[path] ?? (pages["/system"] as PageBody) };
    loaded.set(path, shown);
    return shown;
  } catch (error) {
    const Body = (): never => {
      throw error;
    };
    return { path, Body };
  }
}
