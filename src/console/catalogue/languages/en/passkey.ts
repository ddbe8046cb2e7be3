export const passkey = {
  use: "Use a passkey",
  refused: "Your browser used no passkey:",
};
