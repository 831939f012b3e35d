import type { Access } from '@cairnstore/contract'
import { canBeFollowed } from './call.ts'
import { API, COMMANDS, type Command } from './commands.ts'
import {
  allNouns,
  findCommand,
  GLOBAL_OPTION_NAMES,
  optionTypesOf,
  type ParsedCommand,
  verbsOf,
} from './find-command.ts'
import {
  type CommandField,
  choicesOf,
  GLOBAL_OPTIONS,
  optionName,
  optionTypeOf,
  partsOf,
  SANDBOX_OPTION,
  spelled,
} from './inputs.ts'
import type { OwnCommand } from './own-command.ts'
import { OWN_COMMANDS } from './own-commands.ts'
import { SERVER_COMMANDS } from './run-server.ts'
import { DEFAULT_URL } from './settings.ts'

const NAME_CHARS = 46
const OPTION_CHARS = 26
const TEXT_CHARS = 90

const SETTINGS_TEXT = `Environment variables. They override the default profile:
  CAIRN_URL        address of the service. Default: ${DEFAULT_URL}
  CAIRN_API_KEY    the API key of your account
  CAIRN_SANDBOX    the sandbox to work in, by id or name
  CAIRN_ENCRYPTION_KEY
                   customer-managed key of the sandbox, in base64
  CAIRN_PROFILE    the profile to use
  CAIRN_ADMIN_KEY  the operator's key. Default for a local service: admin.key of its data folder

\`cairn init\` stores profiles in $XDG_CONFIG_HOME/cairn/profiles.json (default: ~/.config). Only you can read the file.

Exit codes: 0 done, 1 failed, 2 invalid usage and nothing was sent, 3 done, but some input was skipped.
`

const GLOBALS_TEXT = Object.entries(GLOBAL_OPTIONS)
  .map(([name, { form, meaning }]) => described(`--${name}${form === 'FLAG' ? '' : ` ${form}`}`, meaning))
  .join('')

/** Returns the overview of all commands, grouped by required access. */
export function overview(): string {
  const first = OWN_COMMANDS.filter(({ access }) => access !== 'admin')
  const needing = (isAdmin: boolean) => COMMANDS.filter(({ operation }) => (operation.access === 'admin') === isAdmin)
  return [
    'Usage: cairn COMMAND … [option …]    cairn COMMAND --help shows the details\n\n',
    ...first.map(summaryOfOwn),
    '\nThe service on this machine:\n',
    ...SERVER_COMMANDS.map(({ word, operands, summary }) => line(`${word} ${operands}`, summary)),
    '\nCommands that need the key of an account:\n',
    ...needing(false).map(summaryOf),
    line(`${API} OPERATION …`, `Any other operation of the API; \`cairn ${API} --help\` lists them`),
    '\nCommands for the operator:\n',
    ...needing(true).map(summaryOf),
    ...OWN_COMMANDS.filter(({ access }) => access === 'admin').map(summaryOfOwn),
    `\nOptions of every command:\n${GLOBALS_TEXT}`,
    `\n${SETTINGS_TEXT}`,
  ].join('')
}

/** Returns the help texts for the command line's documentation page: the overview and the help of each own command. */
export function usageTexts(): { overview: string; own: { name: string; text: string }[] } {
  const own = OWN_COMMANDS.map((command) => ({ name: `cairn ${command.words.join(' ')}`, text: usageOfOwn(command) }))
  return { overview: overview(), own }
}

/** Returns the help for a noun: its commands. */
export function usageOfNoun(noun: string, commands: readonly Command[]): string {
  const own = OWN_COMMANDS.filter(({ words }) => words.length > 1 && words[0] === noun)
  const lists = commands.some(({ verb }) => verb === 'list')
    ? `\`cairn ${noun}\` is short for \`cairn ${noun} list\`.\n\n`
    : ''
  return [
    `Usage: cairn ${noun} VERB … [option …]\n\n${lists}`,
    ...commands.map(summaryOf),
    ...own.map(summaryOfOwn),
    examplesOf(commands.flatMap(({ example }) => example ?? [])),
  ].join('')
}

/** Returns the help of one command of the table. */
export function usageOf(command: Command): string {
  const { noun, verb, operation, isFinal, isWatched, filled = [], example } = command
  const { given, options } = partsOf(operation, filled)
  return [
    `Usage: cairn ${[noun, verb, ...given.map(spelled)].join(' ')} [option …]\n\n`,
    `${operation.summary}. ${needs(operation.access)}\n`,
    ...(operation.description ? [`${wrapped(operation.description, 0)}\n`] : []),
    '\n',
    ...given.map((field) => described(spelled(field), meaningOf(field))),
    ...options.map(describedField),
    ...(filled.includes('sandbox_id') ? [sandboxText()] : []),
    ...(filled.includes('owner_id') ? [described('--owner-id TEXT', 'The owner. Default: your account.')] : []),
    ...(isWatched ? [described('--watch', 'Poll until no work is in progress.')] : []),
    ...(canBeFollowed(operation) ? [described('--follow', 'Keep running, and print new rows as they arrive.')] : []),
    ...(isFinal ? [described('--yes', 'Confirm. This cannot be undone.')] : []),
    GLOBALS_TEXT,
    examplesOf(example ? [example] : []),
  ].join('')
}

/** Returns the help of a command that has its own code. */
export function usageOfOwn({ words, operands, summary, about, access, ...command }: OwnCommand): string {
  const { given, options, operation, without = [], isInside, examples } = command
  const fields = operation ? partsOf(operation, ['sandbox_id', ...without]).options : []
  return [
    `Usage: cairn ${[...words, operands].filter(Boolean).join(' ')} [option …]\n\n`,
    `${summary}.${access === undefined ? '' : ` ${needs(access)}`}\n`,
    ...(about ? [`${wrapped(about, 0)}\n`] : []),
    '\n',
    ...Object.entries(given).map(([name, meaning]) => described(name, meaning)),
    ...Object.entries(options).map(([name, { form, meaning }]) =>
      described(`--${name}${form === 'FLAG' ? '' : ` ${form}`}`, meaning),
    ),
    ...fields.map(describedField),
    ...(isInside ? [sandboxText()] : []),
    GLOBALS_TEXT,
    examplesOf(examples),
  ].join('')
}

function examplesOf(examples: readonly string[]): string {
  return examples.length === 0 ? '' : `\nExamples:\n${examples.map((each) => `  cairn ${each}\n`).join('')}`
}

function sandboxText(): string {
  return described(`--sandbox ${SANDBOX_OPTION.form}`, SANDBOX_OPTION.meaning)
}

function needs(access: Access): string {
  if (access === 'public') return 'Needs no key.'
  return access === 'admin' ? 'Needs the operator’s key.' : 'Needs the key of an account.'
}

function summaryOf({ noun, verb, operation, filled }: Command): string {
  const { given } = partsOf(operation, filled)
  return line([noun, verb, ...given.map(spelled)].join(' '), operation.summary)
}

function summaryOfOwn({ words, operands, summary }: OwnCommand): string {
  return line([...words, operands].join(' '), summary)
}

function line(name: string, summary: string): string {
  return `  ${name.padEnd(NAME_CHARS)} ${summary}\n`
}

function describedField(field: CommandField): string {
  const form = optionTypeOf(field)
  const name = `--${optionName(field.name)}`
  if (form === 'FLAG') return described(name, meaningOf(field))
  if (form === 'LIST') return described(`${name} TEXT`, `${meaningOf(field)} May be given several times.`.trim())
  return described(`${name} ${form}`, meaningOf(field))
}

function meaningOf(field: CommandField): string {
  const { description, default: preset } = field.shape
  const choices = choicesOf(field)
  return [
    description,
    choices.length > 0 && `One of ${choices.join(', ')}.`,
    typeof preset === 'string' && `Default: ${preset}.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function described(name: string, meaning: string): string {
  return `  ${name.padEnd(OPTION_CHARS)} ${wrapped(meaning, OPTION_CHARS + 3)}\n`
}

/** Word-wraps a text; indents all lines but the first. */
function wrapped(text: string, indent: number): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + word.length >= TEXT_CHARS - indent) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** Returns completions of the last of these words, which may be empty. */
export function completionsFor(words: readonly string[]): string[] {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  return [...new Set(candidatesFor(before, typed))].filter((each) => each.startsWith(typed)).sort()
}

function candidatesFor(before: readonly string[], typed: string): string[] {
  const [noun, ...rest] = before.filter((word) => !GLOBAL_OPTION_NAMES.includes(word))
  if (noun === undefined) return typed.startsWith('-') ? GLOBAL_OPTION_NAMES : allNouns()
  if (SERVER_COMMANDS.some(({ word }) => word === noun)) return []
  const found = foundBy([noun, ...rest])
  const verbs = rest.length === 0 ? verbsOf(noun) : []
  if (!found || 'noun' in found) return verbs
  const choices = choicesAfter(found, before.at(-1)!)
  if (choices.length > 0) return choices
  return [...verbs, ...(typed.startsWith('-') ? [...optionsOf(found), ...GLOBAL_OPTION_NAMES] : [])]
}

function foundBy(words: string[]): ParsedCommand | undefined {
  try {
    return findCommand(words)
  } catch {
    return undefined
  }
}

function optionsOf(found: Exclude<ParsedCommand, { noun: string }>): string[] {
  return Object.keys(optionTypesOf(found)).map((name) => `--${name}`)
}

/** Returns the allowed values of the option typed before, if they are a closed list. */
function choicesAfter(found: Exclude<ParsedCommand, { noun: string }>, option: string): string[] {
  const operation = 'own' in found ? found.own.operation : found.command.operation
  if (!operation || !option.startsWith('--')) return []
  const field = partsOf(operation).options.find(({ name }) => `--${optionName(name)}` === option)
  return field ? choicesOf(field) : []
}
