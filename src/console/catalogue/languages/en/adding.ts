/** Texts for adding people, and for handing over their access. */
export const adding = {
  another: "Add another",
  accessFor: (username: string) => `Access for ${username}`,
  accessOf: ([first = "", ...rest]: readonly string[]) =>
    rest.length === 0 ? `Access for ${first}` : `Access for ${rest.length + 1} people`,
  once: (username: string) =>
    `Hand this to ${username}: the password works for one sign-in, at which a new one is chosen. It is not shown again; if it is lost, reset the password.`,
  onceEach:
    "Hand a card to each person: the password works for one sign-in, at which a new one is chosen. The passwords are not shown again.",
  typed: (username: string) => `${username} can sign in with the password that you have typed.`,
  device: "Device",
  address: "Address",
  oneUse: "One-use password",
  agreed: "as agreed",
  qr: (address: string) => `QR code of the address ${address}`,
  steps: "Open the address and sign in.",
  stepsOnce: "Open the address, sign in, and choose a password of your own.",
};
