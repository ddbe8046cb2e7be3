/**
 * Where a sign-in provider sends the browser back to: the redirect URI is an origin of the device with this path. It stands
 * alone, so that the console's page has it without the schemas.
 */
export const providerReturnPath = "/oidc";
