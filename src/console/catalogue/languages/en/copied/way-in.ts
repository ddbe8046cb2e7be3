/** The address of this page on paper. */
export const wayInWords = {
  qrOf: (address: string) => `QR code of the address ${address}`,
  onlyHere: "Only on this computer: HTTPS is off (System, This device)",
};
