export const palette = {
  field: "Page, user, setting or action",
  hint: "Arrow keys choose, Enter opens, Escape closes",
  kinds: { page: "Page", user: "User", setting: "Setting", action: "Action" },
  found: (count: number) => (count === 1 ? "One result" : `${count} results`),
  none: (sought: string) => `Nothing is called ${sought}.`,
  speak: (language: string) => `Language: ${language}`,
};
