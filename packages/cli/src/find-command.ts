import { canBeFollowed } from './call.ts'
import { API, API_COMMANDS, COMMANDS, type Command } from './commands.ts'
import { GLOBAL_OPTIONS, type OptionType, optionName, optionTypeOf, partsOf } from './inputs.ts'
import { usageFailure } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { OWN_COMMANDS } from './own-commands.ts'
import { SERVER_COMMANDS } from './run-server.ts'

/** The command or noun that the first words name, and the arguments that follow. */
export type ParsedCommand =
  | { own: OwnCommand; args: string[] }
  | { command: Command; args: string[] }
  | { noun: string; commands: readonly Command[] }

/** Words that request help. */
export const HELP = ['--help', '-h', 'help']

const LIST = 'list'

/**
 * Finds the command that the words name, or the noun whose commands are to be listed. A noun without a verb lists its
 * items. Throws a usage Failure for unknown words, which suggests similar commands.
 */
export function findCommand(args: readonly string[]): ParsedCommand {
  const [noun = '', verb, ...rest] = args
  const own = OWN_COMMANDS.find(({ words }) => words.every((word, at) => args[at] === word))
  if (own) return { own, args: args.slice(own.words.length) }
  const commands = commandsOf(noun)
  if (commands.length === 0) throw usageFailure(`There is no command "${noun}". ${hint(noun, allNouns())}`)
  if (verb !== undefined && HELP.includes(verb)) return { noun, commands }
  const command = commands.find((each) => each.verb === verb)
  if (command) return { command, args: rest }
  const list = commands.find((each) => each.verb === LIST)
  if (list && (verb === undefined || verb.startsWith('-'))) return { command: list, args: args.slice(1) }
  const verbs = verbsOf(noun)
  throw usageFailure(
    noun === API
      ? `There is no operation "${verb ?? ''}". ${hint(verb ?? '', verbs, `cairn ${API} --help`)}`
      : `"cairn ${noun}" takes one of: ${verbs.join(', ')}.`,
  )
}

function commandsOf(noun: string): readonly Command[] {
  return noun === API ? API_COMMANDS : COMMANDS.filter((command) => command.noun === noun)
}

/** Returns every valid first word of a command line. */
export function allNouns(): string[] {
  const nouns = [...COMMANDS.map(({ noun }) => noun), API]
  const words = [...OWN_COMMANDS.map(({ words: [first] }) => first), ...SERVER_COMMANDS.map(({ word }) => word)]
  return [...new Set([...words, ...nouns])]
}

export function verbsOf(noun: string): string[] {
  const own = OWN_COMMANDS.flatMap(({ words: [first, second] }) => (first === noun && second ? [second] : []))
  return [...commandsOf(noun).map(({ verb }) => verb), ...own]
}

/** Returns the options of a command, by name. */
export function optionTypesOf(found: Exclude<ParsedCommand, { noun: string }>): Record<string, OptionType> {
  const operation = 'own' in found ? found.own.operation : found.command.operation
  const filled = 'own' in found ? ['sandbox_id', ...(found.own.without ?? [])] : (found.command.filled ?? [])
  const fields = operation ? partsOf(operation, filled).options : []
  const forms = Object.fromEntries(fields.map((field) => [optionName(field.name), optionTypeOf(field)]))
  if ('own' in found) {
    for (const [name, { form }] of Object.entries(found.own.options)) forms[name] = form
    return found.own.isInside ? { ...forms, sandbox: 'TEXT' } : forms
  }
  const { filled: given = [], isFinal, isWatched } = found.command
  return {
    ...forms,
    ...(given.includes('sandbox_id') && { sandbox: 'TEXT' as const }),
    ...(given.includes('owner_id') && { 'owner-id': 'TEXT' as const }),
    ...(isFinal && { yes: 'FLAG' as const }),
    ...(isWatched && { watch: 'FLAG' as const }),
    ...(canBeFollowed(found.command.operation) && { follow: 'FLAG' as const }),
  }
}

/** Options that every command accepts, as typed. */
export const GLOBAL_OPTION_NAMES = [...Object.keys(GLOBAL_OPTIONS), 'help'].map((name) => `--${name}`)

const SIMILAR_MAX = 3

/** Suggests known words similar to an unknown word: one is a prefix of the other, or their edit distance is one. */
function hint(word: string, known: readonly string[], list = 'cairn --help'): string {
  const like = known.filter((each) => isSimilar(word, each)).slice(0, SIMILAR_MAX)
  const meant = like.length > 0 ? `Did you mean ${like.map((each) => `"${each}"`).join(' or ')}? ` : ''
  return `${meant}\`${list}\` lists them.`
}

function isSimilar(word: string, known: string): boolean {
  if (word.length > 1 && (known.startsWith(word) || word.startsWith(known))) return true
  return word.length > 2 && Math.abs(word.length - known.length) <= 1 && isOneEdit(word, known)
}

/** Returns true if the Damerau-Levenshtein distance of two words is at most one. */
function isOneEdit(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start += 1
  let end = 0
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  const left = [one.slice(start, one.length - end), other.slice(start, other.length - end)] as const
  const isSwap = left[0].length === 2 && left[0] === [...left[1]].reverse().join('')
  return isSwap || (left[0].length <= 1 && left[1].length <= 1)
}
