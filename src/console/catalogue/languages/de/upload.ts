import type { Catalogue } from "../../words.ts";

export const upload: Catalogue["upload"] = {
  hint: "Ein tar des Repositorys, wie „steward-publisher export“ es schreibt. Wählen Sie die Datei aus, oder ziehen Sie sie hierher. Das Gerät prüft sie wie die Dateien eines Servers: Wer sie gebracht hat, ist gleich.",
  file: "Datei mit Updates",
  progress: "Die Datei wird übertragen",
  checking: "Die Datei ist auf dem Gerät und wird geprüft.",
  good: "Die Datei ist geprüft. Oben steht, was sie für dieses Gerät enthält.",
  failed: "Die Datei wurde nicht angenommen.",
};
