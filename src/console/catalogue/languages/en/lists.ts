export const lists = {
  export: "Export CSV",
  exported: (count: number) => `${count} ${count === 1 ? "row" : "rows"} exported`,
  filters: "Filters",
  filtersInForce: (count: number) => `Filters · ${count}`,
  clear: "Clear filters",
  loading: "Loading more …",
  onPaper: "Only the rows in sight are on paper. “Export CSV” has all of them.",
};
