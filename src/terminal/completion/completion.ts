import { type Command, type CommandTable, isFile, type Option } from "../commands/command.ts";
import { type CompletionModel, completionModel, type Place, quoted, spellings } from "./completion-model.ts";

export const shells = ["bash", "zsh", "fish"] as const;

/** A script that completes commands, options and their fixed values, without calling the program. */
export function completionScript(shell: (typeof shells)[number], table: CommandTable): string {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return scripts[shell](completionModel(table));
}

export function completionCommand(table: () => CommandTable | Promise<CommandTable>): Command {
  return {
    path: ["completion"],
    summary: "Print a completion script for a shell",
    positionals: [{ name: "SHELL", values: shells }],
    options: [],
    async run({ positionals, output }) {
      const shell = shells.find((candidate) => candidate === positionals[0]) ?? "bash";
      await output.text(completionScript(shell, await table()));
    },
  };
}

/** For `steward completion fish | source`. */
function fishScript(model: CompletionModel): string {
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

function fishOption(program: string, option: Option): string {
  const { name, short, value, values, live, summary } = option;
  const names = short === undefined ? `-l ${name}` : `-s ${short} -l ${name}`;
  return `${names}${value === undefined ? "" : fishValue(values ?? (live === undefined ? undefined : [namesOf(program, live)]), isFile(option))} -d ${quoted(summary)}`;
}

function fishValue(values: readonly string[] | undefined, isPath: boolean): string {
  if (values !== undefined) return ` -x -a ${quoted(values.join(" "))}`;
  return isPath ? " -r -F" : " -x";
}

/** For `source <(steward completion bash)`; works without the bash-completion package. */
function bashScript(model: CompletionModel): string {
  const { program } = model;
  return `# bash completion for ${program}
_${program}() {
  local current=\${COMP_WORDS[COMP_CWORD]} at= expects= words= options= live= word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    # "=" is a word of its own here: --role=admin are three.
    [[ $word == = ]] && continue
${walk(model)}
  [[ $current == = ]] && current=
  case $expects in
${model.valued.map((option) => `    ${spellings(option).join("|")}) ${bashValues(option)} ;;`).join("\n")}
    *)
      case $at in
${model.places.map(bashPlace).join("\n")}
      esac
      [[ $current == -* ]] && words="$options ${longNames(model.globalOptions)}" ;;
  esac
  if [[ -n $live && $current != -* ]]; then
    # Not by compgen -W, which would carry out what stands in a name.
    while IFS=$'\\t' read -r word _; do
      [[ $word == "$current"* ]] && COMPREPLY+=("$word")
    done < <(command "\${COMP_WORDS[0]}" completion-names "$live" 2>/dev/null)
    return 0
  fi
  [[ -n $words ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _${program} ${program}
`;
}

function zshScript(model: CompletionModel): string {
  const { program } = model;
  return `#compdef ${program}
# zsh completion for ${program}
_${program}() {
  # "path" is zsh's own name for $PATH and must not be used.
  local at= expects= live= word i
  local -a entries options names
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
${walk(model)}
  if [[ -z $expects && \${words[CURRENT]} == --*=* ]]; then
    expects=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  case $expects in
${model.valued.map((option) => `    ${spellings(option).join("|")}) ${zshValues(option)}${option.live === undefined ? "; return" : ""} ;;`).join("\n")}
  esac
  options=(${model.globalOptions.map(zshEntry).join(" ")})
  [[ -n $expects ]] || case $at in
${model.places.map(zshPlace).join("\n")}
  esac
  if [[ -n $live && ( -n $expects || \${words[CURRENT]} != -* ) ]]; then
    names=(\${(f)"$(command \${words[1]} completion-names $live 2>/dev/null)"})
    names=("\${(@)names/$'\\t'/:}")
    (( $#names )) && _describe name names
  elif [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options
  elif [[ \${entries[1]} == *= ]]; then
    compadd -S '' -- $entries
  elif (( $#entries )); then
    _describe command entries
  fi
}
if [[ $funcstack[1] == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

/** Both shells go through the words before the cursor alike: `at` is the command so far, `expects` an option without its value. */
function walk({ valued, steps }: CompletionModel): string {
  return `    if [[ -n $expects ]]; then expects=; continue; fi
    case $word in
      ${valued.flatMap(spellings).join("|")}) expects=$word ;;
      -*) ;;
      *)
        case "$at $word" in
${steps.map(({ typed, at }) => `          ${quoted(typed)}) at=${quoted(at)} ;;`).join("\n")}
        esac ;;
    esac
  done`;
}

function bashPlace({ at, words, options, live }: Place): string {
  const choices = words.map(({ word }) => word).join(" ");
  return `        ${quoted(at)}) words=${quoted(choices)} options=${quoted(longNames(options))}${liveNames(live)} ;;`;
}

function liveNames(live: Place["live"]): string {
  return live === undefined ? "" : ` live=${live}`;
}

function longNames(options: readonly Option[]): string {
  return options.map(({ name }) => `--${name}`).join(" ");
}

function bashValues(option: Option): string {
  const { values, live } = option;
  if (live !== undefined) return `live=${live}`;
  if (values !== undefined) return `words=${quoted(values.join(" "))}`;
  if (!isFile(option)) return "return 0";
  return 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return 0';
}

function zshValues(option: Option): string {
  const { values, live } = option;
  if (live !== undefined) return `live=${live}`;
  if (values !== undefined) return `compadd -- ${values.join(" ")}`;
  return isFile(option) ? "_files" : ":";
}

function zshPlace({ at, words, options, live }: Place): string {
  // In an entry of _describe a colon ends the word.
  const entries = words.map(({ word, summary }) =>
    quoted(summary === "" ? word : `${word}:${summary.replaceAll(":", " ")}`),
  );
  return `    ${quoted(at)}) entries=(${entries.join(" ")}); options+=(${options.map(zshEntry).join(" ")})${liveNames(live).replace(" ", "; ")} ;;`;
}

function zshEntry({ name, summary }: Option): string {
  return quoted(`--${name}:${summary.replaceAll(":", " ")}`);
}
