import type { Option } from "../commands/command.ts";
import { type CompletionModel, type Place, quoted, spellings } from "./completion-model.ts";

/** For `steward completion fish | source`. */
export function fishScript(model: CompletionModel): string {
  const { program } = model;
  const valued = model.valued.flatMap(spellings).join(" ");
  return `# fish completion for ${program}
function __${program}_at
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
complete -c ${program} -f
${model.globalOptions.map((option) => `complete -c ${program} ${fishOption(program, option)}`).join("\n")}
${model.places.flatMap((place) => fishPlace(program, place)).join("\n")}
`;
}

function fishPlace(program: string, { at, words, options, live }: Place): string[] {
  const start = `complete -c ${program} -n "__${program}_at ${quoted(at)}"`;
  return [
    ...words.map(
      ({ word, summary }) => `${start} -a ${quoted(word)}${summary === "" ? "" : ` -d ${quoted(summary)}`}`,
    ),
    ...(live === undefined ? [] : [`${start} -a ${quoted(namesOf(program, live))}`]),
    ...options.map((option) => `${start} ${fishOption(program, option)}`),
  ];
}

/** fish shows the text after a tab as the description. */
function namesOf(program: string, live: string): string {
  return `(${program} completion-names ${live} 2>/dev/null)`;
}

function fishOption(program: string, { name, short, value, values, isFile, live, summary }: Option): string {
  const names = short === undefined ? `-l ${name}` : `-s ${short} -l ${name}`;
  return `${names}${value === undefined ? "" : fishValue(values ?? (live === undefined ? undefined : [namesOf(program, live)]), isFile)} -d ${quoted(summary)}`;
}

function fishValue(values: readonly string[] | undefined, isFile: true | undefined): string {
  if (values !== undefined) return ` -x -a ${quoted(values.join(" "))}`;
  return isFile ? " -r -F" : " -x";
}
