import type { ParsedArguments } from './inputs.ts'
import { print, usageFailure } from './output.ts'
import type { OwnCommand, Program } from './own-command.ts'

/** Argument with which the completion scripts call this program. The typed words follow; the last may be incomplete. */
const WORDS = 'words'

/** Completion script for each shell. Each calls this program for the candidates and falls back to file names. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_cairn() {
  local IFS=$'\\n'
  COMPREPLY=($(cairn completion ${WORDS} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _cairn cairn
`,
  zsh: `_cairn() {
  local -a offered
  offered=("\${(@f)$(cairn completion ${WORDS} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${offered[1]}" ]]; then compadd -a offered; else _files; fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _cairn cairn
`,
  fish: `function __cairn
  set -l typed (commandline -opc)
  cairn completion ${WORDS} -- $typed[2..-1] (commandline -ct) 2>/dev/null
end
complete -c cairn -a '(__cairn)'
`,
}

/** Command that prints the shell completion script. */
export const COMPLETION: OwnCommand = {
  words: ['completion'],
  operands: Object.keys(SCRIPTS).join('|'),
  summary: 'Print the shell script that completes commands and options',
  about:
    'In bash: eval "$(cairn completion bash)"; likewise in zsh. If `cairn` is a shell function, as in a ' +
    'clone, define the function first.',
  given: { [Object.keys(SCRIPTS).join('|')]: 'The shell.' },
  options: {},
  examples: ['completion bash', 'completion fish | source'],
  run: complete,
}

async function complete(
  { operands: [first = '', ...words] }: ParsedArguments,
  { offersFor }: Program,
): Promise<number> {
  if (first === WORDS) {
    const offered = offersFor(words)
    await print(offered.map((each) => `${each}\n`).join(''))
    return 0
  }
  const script = Object.hasOwn(SCRIPTS, first) ? SCRIPTS[first] : undefined
  if (!script) throw usageFailure(`Name a shell: ${Object.keys(SCRIPTS).join(', ')}.`)
  await print(script)
  return 0
}
