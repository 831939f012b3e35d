import type { Typed } from './inputs.ts'
import { print, usageFailure } from './output.ts'
import type { OwnCommand, Program } from './own-command.ts'

/** The word after which the words of a command line follow, the last of them being typed. */
const WORDS = 'words'

/** They ask this program for what can follow, so that this is what it takes; files come where it offers nothing. */
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

/** The command that prints what a shell needs to complete the others. */
export const COMPLETION: OwnCommand = {
  words: ['completion'],
  operands: Object.keys(SCRIPTS).join('|'),
  summary: 'Print what a shell needs to complete commands and options',
  about:
    'In bash and zsh: eval "$(cairn completion bash)", or zsh. Where `cairn` is a function of the shell, as in a ' +
    'clone, define it first.',
  given: { [Object.keys(SCRIPTS).join('|')]: 'The shell.' },
  options: {},
  examples: ['completion bash', 'completion fish | source'],
  run: complete,
}

async function complete({ operands: [first = '', ...words] }: Typed, { offersFor }: Program): Promise<number> {
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
