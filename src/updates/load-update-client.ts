/** Loads the update client when it is first needed, in one piece: an agent that never checks does without its memory. */
export async function loadUpdateClient() {
  const { updateClient } = await import("./update-client.ts");
  return updateClient;
}
