/** The address of this page on paper. */
export const wayIn = {
  qrOf: (address: string) => `QR code of the address ${address}`,
  onlyHere: "The address of this page works only on this computer. For others, root opens HTTPS:",
};
