import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc, { type Arbitrary } from "fast-check";
import { annotationKeywords, settings as settingsSchema } from "../../src/contract/schemas/settings.ts";
import { settingsChange } from "../../src/contract/schemas/settings-forms.ts";
import type { SettingsChange } from "../../src/contract/types.ts";
import { defaultSettings } from "../../src/programs/agent/documents.ts";
import { type OpenedDocument, openDocument } from "../../src/store/documents/document.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { settingsErrors } from "../../src/system/settings/rules.ts";
import { createSettings, settingsKind } from "../../src/system/settings/settings.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { spoiltFile, spoiltJson, weighed } from "./arbitraries.ts";
import { judgeCases, type Outcomes, outcomeOf } from "./cases.ts";
import { fitting } from "./fitting.ts";

const kind = settingsKind(defaultSettings({}));
type Settings = typeof kind.defaults;

const ajv = new Ajv2020({
  ...{ strictTypes: false, strictRequired: false, keywords: [...annotationKeywords] },
  formats: { "date-time": true },
});
const fits = ajv.compile(settingsSchema);
/** Judges a request's body: another never reaches the settings. */
const fitsAsChange = ajv.compile(settingsChange);

const fittingChanges = fitting(settingsChange as object);
const change = fc
  .oneof(fittingChanges, fittingChanges.chain(spoiltJson))
  .filter((drawn) => fitsAsChange(drawn)) as Arbitrary<SettingsChange>;
const role = fc.constantFrom("admin", "operator", "readonly");
const changes = fc.array(fc.record({ change, role }), { minLength: 2, maxLength: 2 });

/**
 * Settings on the disk that were spoilt, and changes of them: the document opens with settings that keep every rule, from
 * its good copy if need be, or is refused as damaged and kept; a change that is refused leaves what was there.
 */
export async function fuzzSettings(cases: number): Promise<Outcomes> {
  const directory = scratchDirectory();
  const [path, goodPath] = [join(directory, "settings.json"), join(directory, "settings.good.json")];
  const open = (isFirstStart = false): Promise<OpenedDocument<Settings>> =>
    openDocument(directory, kind, { isFirstStart, reserve: createReserve(directory) });
  const first = await open(true);
  await first.update((present) => ({ ...present, console: { ...present.console, banner: "whole" } }));
  await first.close();
  const whole = readFileSync(path);
  const file = weighed([2, fc.constant(whole)], [8, spoiltFile(whole)]);
  const files = fc.record({ file, good: fc.oneof(fc.constant(whole), file), changes });
  return judgeCases(cases, files, async (drawn) => {
    for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
    writeFileSync(path, drawn.file);
    writeFileSync(goodPath, drawn.good);
    let document: OpenedDocument<Settings> | undefined;
    const opened = await outcomeOf(async () => {
      document = await open();
      return "opened";
    });
    const kept = readdirSync(directory).filter((name) => name.startsWith("settings."));
    assert.ok(kept.length > 0, "of the damaged settings nothing was kept");
    if (!document) return opened;
    judgeSettings(document.read());
    const outcomes = await makeChanges(document, drawn.changes);
    await document.close();
    return [opened, ...outcomes];
  });
}

async function makeChanges(
  document: OpenedDocument<Settings>,
  drawn: typeof changes extends Arbitrary<infer T> ? T : never,
): Promise<string[]> {
  const store = createSettings(document);
  const outcomes: string[] = [];
  for (const { change, role } of drawn) {
    const before = structuredClone(document.read());
    const outcome = await outcomeOf(async () => {
      store.faultsOf(change);
      await store.change(change, { role, isLocalRoot: false, requireStepUp: () => undefined });
      return "changed";
    });
    if (outcome !== "changed")
      assert.deepEqual(document.read(), before, "a refused change changed the settings");
    else {
      judgeSettings(document.read());
      assert.deepEqual(settingsErrors(document.read()), [], "settings that break a rule");
    }
    outcomes.push(outcome);
  }
  return outcomes;
}

/** A member that a newer release put there stays, and is no fault. */
function judgeSettings(settings: Settings): void {
  fits(structuredClone(settings));
  const faults = (fits.errors ?? []).filter(({ keyword }) => keyword !== "additionalProperties");
  assert.deepEqual(faults, []);
}
