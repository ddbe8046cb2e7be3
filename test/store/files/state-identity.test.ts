import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { temporaryDirectory } from "../../../lab/basics/ending.ts";
import { readStateIdentity, writeStateIdentity } from "../../../src/store/files/state-identity.ts";

it("the identity of a state directory is as it was written", async (test) => {
  const directory = await temporaryDirectory(test);
  assert.equal(await readStateIdentity(directory), null);
  const identity = { device_id: "pump", untold: { from: "card", files: 3 } };
  await writeStateIdentity(directory, identity);
  assert.deepEqual(await readStateIdentity(directory), identity);
  assert.ok((await readFile(join(directory, ".identity.json"), "utf8")).endsWith("}\n"));
});

it("an identity of an earlier release has nothing untold, and one that is damaged is none", async (test) => {
  const directory = await temporaryDirectory(test);
  const read = async (text: string) => {
    await writeFile(join(directory, ".identity.json"), text);
    return readStateIdentity(directory);
  };
  assert.deepEqual(await read('{"device_id": "pump"}'), { device_id: "pump", untold: null });
  for (const damaged of ["", "{", "null", "[]", "7", "{}", '{"device_id": 7}'])
    assert.equal(await read(damaged), null);
  await rm(join(directory, ".identity.json"));
  await mkdir(join(directory, ".identity.json"));
  assert.equal(await readStateIdentity(directory), null);
});

it("an identity that cannot be read is not taken for none, with the system's reason", async (test) => {
  const directory = join(await temporaryDirectory(test), "file");
  await writeFile(directory, "");
  await assert.rejects(readStateIdentity(directory), (error: Error & { code: string }) => {
    assert.equal(error.code, "storage_unwritable");
    assert.equal((error.cause as NodeJS.ErrnoException).code, "ENOTDIR");
    return true;
  });
});
