import type { LiveNames, Option } from "./command.ts";
import { type CompletionModel, type Place, quoted, spellings } from "./completion-model.ts";

/** For `steward completion fish | source`. */
export function fishScript(model: CompletionModel): string {
  const valued = model.valued.flatMap(spellings).join(" ");
  return `# fish completion for steward
function __steward_at
    set -l at ''
    set -l expects 0
    set -l given (commandline -opc)
    set -e given[1]
    for word in $given
        if test $expects = 1
            set expects 0
            continue
        end
        switch $word
            case ${valued}
                set expects 1
            case '-*'
            case '*'
                switch "$at $word"
${model.steps.map(({ typed, at }) => `                    case ${quoted(typed)}\n                        set at ${quoted(at)}`).join("\n")}
                end
        end
    end
    test "$at" = "$argv[1]"
end
complete -c steward -f
${model.globalOptions.map((option) => `complete -c steward ${fishOption(option)}`).join("\n")}
${model.places.flatMap(fishPlace).join("\n")}
`;
}

function fishPlace({ at, words, options, live }: Place): string[] {
  const start = `complete -c steward -n "__steward_at ${quoted(at)}"`;
  return [
    ...words.map(
      ({ word, summary }) => `${start} -a ${quoted(word)}${summary === "" ? "" : ` -d ${quoted(summary)}`}`,
    ),
    ...(live === undefined ? [] : [`${start} -a ${quoted(namesOf(live))}`]),
    ...options.map((option) => `${start} ${fishOption(option)}`),
  ];
}

/** fish shows the text after a tab as the description. */
function namesOf(live: LiveNames): string {
  return `(steward completion-names ${live} 2>/dev/null)`;
}

function fishOption({ name, short, value, values, isFile, live, summary }: Option): string {
  const names = short === undefined ? `-l ${name}` : `-s ${short} -l ${name}`;
  return `${names}${value === undefined ? "" : fishValue(values ?? (live && [namesOf(live)]), isFile)} -d ${quoted(summary)}`;
}

function fishValue(values: readonly string[] | undefined, isFile: true | undefined): string {
  if (values !== undefined) return ` -x -a ${quoted(values.join(" "))}`;
  return isFile ? " -r -F" : " -x";
}
