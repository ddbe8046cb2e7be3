/** Rules are a bundle for the appliance's engine; a binary is a release of the appliance's service, or of Steward. */
export const updateKinds = ["rules", "binary"] as const;
