/** Languages of a fence under which each line is a command; a fence without one may hold such lines as well. */
const SHELLS = /^(?:sh|bash|zsh|shell|console|terminal|shell-session|cmd|powershell|ps1|bat)$/i
/** How a terminal asks for a command. */
const PROMPT = /^(?:\$|>|PS>|%)\s+/
/** A command, after what it sets for itself: "CAIRN_DATA=./x cairn restore". */
const COMMAND = /^(?:[A-Z_][A-Z0-9_]*=\S* )*(?:\.{0,2}\/)?[a-z][\w./@-]*(?: |$)/
const COMMENT = /^(?:#|\/\/|REM )/
/** Columns, as in a list of commands with what each does, or in a tree of folders. */
const COLUMNS = /\S {2,}(?!#)\S|^\s+\S/
/** A line that goes on behind its end. */
const GOES_ON = /\\$/
/** A longer line is a text rather than a command. */
const CHARS_MAX = 240
/** Commands of one stretch of code that are looked at. */
const COMMANDS_MAX = 40

/** The commands for a shell in code, under the language that is named with it; none where it holds anything else. */
export function commandsOf(code: string, language = ''): string[] {
  if (language !== '' && !SHELLS.test(language)) return []
  const lines = code.split('\n').filter((line) => line.trim() !== '')
  const commands = joined(lines)
    .filter((line) => !COMMENT.test(line))
    .map((line) => line.replace(PROMPT, ''))
  const isList = commands.every((line) => COMMAND.test(line) && line.length <= CHARS_MAX)
  return isList && (language !== '' || !lines.some((line) => COLUMNS.test(line))) ? commands.slice(0, COMMANDS_MAX) : []
}

/** The lines, each with those that it goes on over. */
function joined(lines: readonly string[]): string[] {
  const told: string[] = []
  let begun = ''
  for (const line of lines) {
    begun += line.trim().replace(GOES_ON, '')
    if (GOES_ON.test(line.trim())) continue
    told.push(oneLine(begun))
    begun = ''
  }
  return begun === '' ? told : [...told, oneLine(begun)]
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
