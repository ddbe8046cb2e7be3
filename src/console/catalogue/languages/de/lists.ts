import type { Catalogue } from "../../words.ts";

export const lists: Catalogue["lists"] = {
  export: "CSV exportieren",
  exported: (count) => `${count} ${count === 1 ? "Zeile" : "Zeilen"} exportiert`,
  filters: "Filter",
  filtersInForce: (count) => `Filter · ${count}`,
  clear: "Filter aufheben",
  loading: "Weitere werden geladen …",
  onPaper: "Auf dem Papier stehen nur die sichtbaren Zeilen. „CSV exportieren“ liefert alle.",
};
