import type { Access } from '@cairn/contract'
import { COMMANDS, type Command } from './commands.ts'
import { IMPORT } from './import-path.ts'
import { choicesOf, type Field, fieldsOf, formOf, spelled } from './inputs.ts'
import { RESET } from './reset-key.ts'
import { SERVER_COMMANDS } from './run-server.ts'
import { DEFAULT_URL } from './settings.ts'

const NAME_CHARS = 42
const OPTION_CHARS = 26
const TEXT_CHARS = 90

const SETTINGS_TEXT = `Settings, from the environment:
  CAIRN_URL        where the service is; ${DEFAULT_URL} when unset
  CAIRN_API_KEY    the API key of your account
  CAIRN_ADMIN_KEY  the operator's key; when unset, admin.key of the data folder (CAIRN_DATA, ./data),
                   for a service on this machine

Exit codes: 0 done, 1 failed, 2 not asked for rightly, and nothing was sent.
`

/** Every command, grouped by what it needs. */
export function overview(): string {
  const onThisMachine = SERVER_COMMANDS.map(({ word, operands, summary }) => line(`${word} ${operands}`, summary))
  const needing = (isAdmin: boolean) =>
    COMMANDS.filter(({ operation }) => (operation.access === 'admin') === isAdmin).map(summaryOf)
  return [
    'Use: cairn COMMAND … [--json]      cairn COMMAND --help shows what it takes\n\n',
    'On this machine:\n',
    ...onThisMachine,
    `\nWith ${keyFor('account')}:\n`,
    ...needing(false),
    line(`${IMPORT.word} ${IMPORT.operands}`, IMPORT.operation.summary),
    `\nWith ${keyFor('admin')}:\n`,
    ...needing(true),
    resetLine(),
    `\n${SETTINGS_TEXT}`,
  ].join('')
}

/** The commands of one noun. */
export function usageOfNoun(noun: string): string {
  const own = COMMANDS.filter((command) => command.noun === noun)
  return `Use: cairn ${noun} VERB … [--json]\n\n${own.map(summaryOf).join('')}${noun === RESET.noun ? resetLine() : ''}`
}

/** What `cairn keys reset` takes. */
export function usageOfReset(): string {
  const { noun, verb, operands, summary, options } = RESET
  return [
    `Use: cairn ${noun} ${verb} ${operands} [option …]\n\n${summary}. Needs ${keyFor('admin')}.\n\n`,
    described('USER_ID', 'The account; the only one there is when omitted.'),
    described('--name TEXT', options.name),
    described('--revoke-others', options['revoke-others']),
    described('--json', 'Print JSON, also of a failure.'),
  ].join('')
}

function resetLine(): string {
  return line(`${RESET.noun} ${RESET.verb} ${RESET.operands}`, RESET.summary)
}

/** What one command takes. */
export function usageOf(command: Command): string {
  const { noun, verb, operation, isFinal } = command
  const fields = fieldsOf(operation)
  const given = fields.filter(({ isRequired }) => isRequired)
  const options = fields.filter(({ isRequired }) => !isRequired)
  return [
    `Use: cairn ${[noun, verb, ...given.map(spelled)].join(' ')} [option …]\n\n`,
    `${operation.summary}. Needs ${keyFor(operation.access)}.\n`,
    ...(operation.description ? [`${wrapped(operation.description, 0)}\n`] : []),
    '\n',
    ...given.map((field) => described(spelled(field), meaningOf(field))),
    ...options.map((field) => described(`${spelled(field)} ${formOf(field)}`, meaningOf(field))),
    ...(isFinal ? [described('--yes', 'Do it: it cannot be undone.')] : []),
    described('--json', 'Print JSON, also of a failure.'),
  ].join('')
}

/** What `cairn import` takes. */
export function usageOfImport(): string {
  const { word, operands, operation } = IMPORT
  const options = fieldsOf(operation).filter(({ isRequired }) => !isRequired)
  return [
    `Use: cairn ${word} ${operands} [option …]\n\n`,
    `${operation.summary}. Needs ${keyFor(operation.access)}.\n${wrapped(operation.description, 0)}\n\n`,
    described('PATH', 'A file, or a folder, whose documents, mails and JSON files are sent as one.'),
    ...options.map((field) => described(`${spelled(field)} ${formOf(field)}`, meaningOf(field))),
    described('--json', 'Print JSON, also of a failure.'),
  ].join('')
}

function keyFor(access: Access): string {
  return access === 'admin' ? 'CAIRN_ADMIN_KEY' : 'CAIRN_API_KEY'
}

function summaryOf({ noun, verb, operation }: Command): string {
  const operands = fieldsOf(operation).filter(({ isRequired }) => isRequired)
  return line([noun, verb, ...operands.map(spelled)].join(' '), operation.summary)
}

function line(name: string, summary: string): string {
  return `  ${name.padEnd(NAME_CHARS)} ${summary}\n`
}

function meaningOf(field: Field): string {
  const { description, default: preset } = field.shape
  const choices = choicesOf(field)
  return [
    description,
    choices.length > 0 && `One of ${choices.join(', ')}.`,
    typeof preset === 'string' && `${preset} when omitted.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function described(name: string, meaning: string): string {
  return `  ${name.padEnd(OPTION_CHARS)} ${wrapped(meaning, OPTION_CHARS + 3)}\n`
}

/** The text in lines of words, all but the first indented. */
function wrapped(text: string, indent: number): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + word.length >= TEXT_CHARS - indent) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
