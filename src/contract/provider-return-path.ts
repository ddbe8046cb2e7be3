/**
 * The path to which a sign-in provider sends the browser back: the redirect URI is an origin of the device with this
 * path. It has a file of its own, so that the console's page gets it without the schemas.
 */
export const providerReturnPath = "/oidc";
