import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type {
  AuditEvent,
  PasskeyProof,
  PasskeyRequest,
  Status,
  TimeSync,
  Updates,
  User,
} from "../../contract/types.ts";
import { type Part, textsOfParts } from "../catalogue/texts-of-parts.ts";
import { loadTexts, t } from "../catalogue/words.ts";
import { isOutdated, lost } from "./connection.ts";
import { Fault } from "./problem.ts";

export interface ExplanationProps {
  readonly code: string;
  /** Instead of the cause, where the page knows it better. */
  readonly advice?: string | undefined;
  /** Asks once more for what failed. */
  readonly onRetry?: (() => void) | undefined;
  /** A form shows it, above the button that sends it again. */
  readonly isForm?: boolean;
}

export interface WeekLineProps {
  /** The tile on Home under whose facts it is. */
  readonly of: "clock" | "host";
}

export interface ProductLinksProps {
  readonly product: NonNullable<Status["product"]>;
}

export interface PaperProps {
  /** Another sentence of the sheet. */
  readonly note?: ComponentChildren;
  /** Buttons before the one that prints it. */
  readonly others?: ComponentChildren;
}

export interface PasskeyButtonProps {
  readonly request: PasskeyRequest;
  readonly onProven: (proof: PasskeyProof) => Promise<unknown>;
}

interface Opened {
  readonly onClose: () => void;
}

/** A dialog that changes what the page has read. */
export interface Changing extends Opened {
  readonly onDone: () => Promise<void>;
}

/** A user to whom the access is handed over. */
export interface Person {
  readonly username: string;
  readonly display_name: string;
  /** The one-use password; null: the person has been given another one. */
  readonly password: string | null;
}

/** The outcome of adding several: those who were not reached are neither made nor failed. */
export interface AddedSeveral {
  readonly made: number;
  /** Reasons by user name. */
  readonly failed: ReadonlyMap<string, unknown>;
  readonly left: number;
}

export interface SeveralProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onMade: (person: Person) => void;
  readonly onDone: (outcome: AddedSeveral) => void;
  readonly onCancel: () => void;
}

interface Body<Props> {
  readonly Body: ComponentType<Props>;
}

interface Pages {
  /** By path. */
  readonly pages: Readonly<Record<string, ComponentType>>;
}

/** The exports of the file of each part, which main.tsx names. */
interface Parts {
  readonly people: Pages;
  readonly adding: Body<Changing> & { readonly Reset: ComponentType<Changing & { readonly user: User }> };
  readonly several: Body<SeveralProps>;
  readonly account: Pages;
  readonly passkey: Body<PasskeyButtonProps>;
  readonly device: Pages;
  readonly logs: Pages;
  readonly events: Pages;
  readonly history: Pages & Body<WeekLineProps>;
  readonly product: Pages & Body<ProductLinksProps>;
  readonly updates: Pages;
  readonly settings: Pages;
  readonly notifications: Body<object>;
  readonly ota: Body<{ readonly status: Updates }>;
  readonly upload: Body<{ readonly status: Updates; readonly onBegun: (status: Updates) => void }>;
  readonly event: Body<{ readonly event: AuditEvent }>;
  readonly clock: Body<{ readonly status: TimeSync; readonly children: ComponentChildren }>;
  readonly machine: Pages;
  readonly sheet: Body<Opened> & { readonly Paper: ComponentType<PaperProps> };
  readonly palette: Body<Opened>;
  readonly problems: Body<ExplanationProps> & { readonly Help: ComponentType };
  readonly restore: Body<{ readonly onBack: () => void }>;
  readonly setup: Body<{ readonly isRescue: boolean }> & { readonly Page: ComponentType };
}

export type PagePart = { [P in Part]: Parts[P] extends Pages ? P : never }[Part];

/** The parts that have a body, and what that is drawn with. */
export type BodyPart = { [P in Part]: Parts[P] extends Body<infer _> ? P : never }[Part];
export type PropsOf<P extends BodyPart> = Parts[P] extends Body<infer Props> ? Props : never;

type Loaders = { readonly [P in Part]: () => Promise<Parts[P]> };

let loaders: Loaders;

let reload: () => Promise<void>;

/** Parts import pages that open parts, so they go by name and main.tsx by file. `reloading`: gets another version's files. */
export function loadPartsBy(given: Loaders, reloading: () => Promise<void>): void {
  loaders = given;
  reload = reloading;
}

/** Loads a part with its texts. Waits for an agent that restarts; throws Fault after an update, which has replaced the files. */
export function loadPart<P extends Part>(part: P): Promise<Parts[P]> {
  return persistently(() =>
    Promise.all([loaders[part](), ...textsOfParts[part].map(loadTexts)]).then(([loaded]) => loaded),
  );
}

/** The same where nothing is drawn without it. After an update the page is reloaded, and typed text stays until then. */
export function loadNeededPart<P extends Part>(part: P): Promise<Parts[P]> {
  return needed(loadPart(part));
}

/** Loads files of the console, once more when the agent answers. */
export function persistently<T>(load: () => Promise<T>): Promise<T> {
  return load()
    .catch(() => lost().then(load))
    .catch((cause: unknown) => {
      throw new Fault(() => t.problem.faults.unloaded, cause);
    });
}

export function needed<T>(loading: Promise<T>): Promise<T> {
  return loading.catch((error: unknown) => {
    if (!isOutdated.read()) throw error;
    void reload();
    return new Promise<never>(() => undefined);
  });
}

/** The part, loaded at the first drawing; null until then. A failure throws in the page, unless that is whole without it. */
export function usePart<P extends Part>(part: P, isNeeded = true): Parts[P] | null {
  const [state, setState] = useState<{ loaded: Parts[P] } | { error: unknown } | null>(null);
  useEffect(() => {
    (isNeeded ? loadNeededPart : loadPart)(part).then(
      (loaded) => setState({ loaded }),
      (error: unknown) => isNeeded && setState({ error }),
    );
  }, [part]);
  if (state !== null && "error" in state) throw state.error;
  return state?.loaded ?? null;
}
