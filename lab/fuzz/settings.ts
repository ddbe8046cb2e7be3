import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { StewardError } from "../../src/contract/errors.ts";
import { annotationKeywords, settings as settingsSchema } from "../../src/contract/schemas/settings.ts";
import { settingsChange } from "../../src/contract/schemas/settings-forms.ts";
import type { SettingsChange } from "../../src/contract/types.ts";
import { defaultSettings } from "../../src/programs/agent/documents.ts";
import { type OpenedDocument, openDocument } from "../../src/store/documents/document.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { settingsErrors } from "../../src/system/settings/rules.ts";
import { createSettings, settingsKind } from "../../src/system/settings/settings.ts";
import type { Chance } from "../basics/chance.ts";
import { oneOf, percent, spoiltBytes, spoiltJson } from "./draw.ts";
import { fromSchema } from "./from-schema.ts";
import type { Fuzzing } from "./target.ts";

const kind = settingsKind(defaultSettings({}));
type Settings = typeof kind.defaults;

const ajv = new Ajv2020({
  ...{ strictTypes: false, strictRequired: false, keywords: [...annotationKeywords] },
  formats: { "date-time": true },
});
const fits = ajv.compile(settingsSchema);
/** Judges a request's body: another never reaches the settings. */
const fitsAsChange = ajv.compile(settingsChange);

/**
 * Settings on the disk that were spoilt, and changes of them: the document opens with settings that keep every rule, from
 * its good copy if need be, or is refused as damaged and kept; a change that is refused leaves what was there.
 */
export async function fuzzSettings({ chance, cases, ledger }: Fuzzing): Promise<null> {
  const directory = mkdtempSync(join(tmpdir(), "steward-fuzz-settings-"));
  const open = (isFirstStart = false): Promise<OpenedDocument<Settings>> =>
    openDocument(directory, kind, { isFirstStart, reserve: createReserve(directory) });
  try {
    const first = await open(true);
    await first.update((present) => ({ ...present }));
    await first.update((present) => ({ ...present, console: { ...present.console, banner: "whole" } }));
    await first.close();
    const whole = readFileSync(join(directory, "settings.json"));
    for (let made = 0; made < cases; made += 1) {
      const file = spoiltFile(chance, whole);
      const good = percent(chance, 50) ? whole : spoiltFile(chance, whole);
      ledger.begin(`settings.json ${file.toString("base64").slice(0, 400)}`);
      clear(directory);
      writeFileSync(join(directory, "settings.json"), file);
      writeFileSync(join(directory, "settings.good.json"), good);
      await open().then(
        (document) => useSettings(document, { chance, ledger, cases: 1 }),
        (error: unknown) => judgeRefusal(directory, error, { chance, ledger, cases: 1 }),
      );
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return null;
}

async function useSettings(document: OpenedDocument<Settings>, fuzzing: Fuzzing): Promise<void> {
  const { chance, ledger } = fuzzing;
  ledger.count("opened");
  judgeSettings("opened", document.read(), fuzzing);
  const store = createSettings(document);
  for (let changes = 0; changes < 2; changes += 1) {
    const before = JSON.stringify(document.read());
    const change = fromSchema(settingsChange as object, chance) as SettingsChange;
    const spoilt = (percent(chance, 50) ? change : spoiltJson(chance, change)) as SettingsChange;
    if (!fitsAsChange(spoilt)) continue;
    const writer = { role: oneOf(chance, ["admin", "operator", "readonly"] as const) };
    try {
      store.faultsOf(spoilt);
      await store.change(spoilt, { ...writer, isLocalRoot: false, requireStepUp: () => undefined });
      ledger.count("changed");
      judgeSettings(`changed by ${JSON.stringify(spoilt)}`, document.read(), fuzzing);
    } catch (error) {
      const isExpected = error instanceof StewardError && error.code !== "internal_error";
      if (isExpected) ledger.count(error.code);
      else ledger.find(`${JSON.stringify(spoilt)}: ${error instanceof Error ? error.stack : String(error)}`);
      if (JSON.stringify(document.read()) !== before) ledger.find("a refused change changed the settings");
    }
  }
  await document.close();
}

function judgeSettings(what: string, settings: Settings, { ledger }: Fuzzing): void {
  const known = structuredClone(settings);
  if (!fits(known)) {
    // A member that a newer release put there stays, and is no fault.
    const faults = (fits.errors ?? []).filter(({ keyword }) => keyword !== "additionalProperties");
    for (const { instancePath, message } of faults.slice(0, 1))
      ledger.find(`${what}: ${instancePath} ${message}`);
    if (faults.length > 0) return;
  }
  const [broken] = settingsErrors(settings);
  if (broken && what !== "opened") ledger.find(`${what}: ${broken.pointer} ${broken.detail}`);
}

function judgeRefusal(directory: string, error: unknown, { ledger }: Fuzzing): void {
  if (!(error instanceof StewardError)) {
    ledger.find(`opening threw ${error instanceof Error ? error.stack : String(error)}`);
    return;
  }
  ledger.count(error.code);
  const kept = readdirSync(directory).filter((name) => name.startsWith("settings."));
  if (kept.length === 0) ledger.find("of the damaged settings nothing was kept");
}

function clear(directory: string): void {
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
}

function spoiltFile(chance: Chance, whole: Buffer): Buffer {
  if (percent(chance, 20)) return whole;
  if (percent(chance, 40)) return spoiltBytes(chance, whole);
  return Buffer.from(JSON.stringify(spoiltJson(chance, JSON.parse(whole.toString()))) ?? "");
}
