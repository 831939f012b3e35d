import { type ConsoleCode, operations } from '@cairnstore/contract'
import { call } from './call.ts'
import type { Options, ParsedArguments } from './inputs.ts'
import { Failure, fieldsTable, jsonText, note, type OutputRow, print, tableOf, usageFailure } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { DEFAULT_PROFILE, type Profiles, profileOf, readProfiles, writeOwn } from './profiles.ts'
import { profilesPath, readSettings, type Settings } from './settings.ts'

/** Command that lists profiles, sets the default one, and removes one. */
export const PROFILES: OwnCommand = {
  words: ['profiles'],
  operands: '[use|remove NAME]',
  summary: 'List the profiles of this machine, set the default one, or remove one',
  about: 'Removing a profile does not revoke its key. Use `cairn keys revoke` for that.',
  given: { 'use NAME': 'Make it the default profile.', 'remove NAME': 'Remove it.' },
  options: {},
  examples: ['profiles', 'profiles use work', 'profiles remove work'],
  run: profiles,
}

async function profiles({ operands, options }: ParsedArguments): Promise<number> {
  const [verb = 'list', name, extra] = operands
  const isKnown = verb === 'list' ? name === undefined : ['use', 'remove'].includes(verb) && name !== undefined
  if (!isKnown || extra !== undefined) throw usageFailure(`Usage: cairn profiles ${PROFILES.operands}`)
  const path = profilesPath()
  const stored = readProfiles(path)
  if (name === undefined) return list(stored, options.json === true, options.quiet === true)
  if (!profileOf(stored, name)) throw usageFailure(`${path} has no profile "${name}". \`cairn profiles\` lists them.`)
  const left = Object.fromEntries(Object.entries(stored.profiles).filter(([each]) => verb === 'use' || each !== name))
  const chosen = verb === 'use' ? name : stored.default
  const next = Object.hasOwn(left, chosen) ? chosen : (Object.keys(left)[0] ?? DEFAULT_PROFILE)
  writeOwn(path, { default: next, profiles: left })
  return list(readProfiles(path), options.json === true, options.quiet === true)
}

async function list(kept: Profiles, asJson: boolean, isQuiet: boolean): Promise<number> {
  const rows = Object.entries(kept.profiles).map(([name, { url, sandbox_id: sandbox }]) => ({
    name,
    default: name === kept.default,
    url,
    sandbox_id: sandbox ?? null,
  }))
  if (asJson) await print(jsonText(rows))
  else if (rows.length > 0) await print(tableOf(['name', 'default', 'url', 'sandbox_id'], rows, true))
  else note({ isQuiet }, 'There are no profiles. `cairn init` creates one.')
  return 0
}

const { createConsoleCode, createAccountConsoleCode } = operations
const NO_CONSOLE = 'This service has no console.'

/** Command that signs a user in to the console without pasting a key. */
export const CONSOLE: OwnCommand = {
  words: ['console'],
  operands: '[USER_ID]',
  summary: 'Print a link that signs in to the console',
  about:
    'The link works once, within ten minutes. It signs in to the account of your key. With a USER_ID, or without ' +
    'a key, it uses the operator’s key from the data folder of a local service.',
  access: createConsoleCode.access,
  given: { USER_ID: 'The account. Default: that of your key, else the only one.' },
  options: {},
  examples: ['console'],
  run: printLink,
}

/** Prints the link. Throws Failure if the service has no console or if the account is ambiguous. */
async function printLink({ operands, options }: ParsedArguments): Promise<number> {
  const [given, extra] = operands
  if (extra !== undefined) throw usageFailure(`Unexpected operand "${extra}". Usage: cairn console ${CONSOLE.operands}`)
  const own = given === undefined ? ownSettings(options) : undefined
  const made = (own ? await call(createConsoleCode, {}, own) : await codeByOperator(given, options)) as ConsoleCode
  if (options.json) await print(jsonText(made))
  else if (made.url) await print(`${made.url}\n`)
  else throw new Failure(NO_CONSOLE, { error: 'no_console', detail: NO_CONSOLE })
  return 0
}

/** Returns the settings for the caller's own account; undefined if there is no key. */
function ownSettings(options: Options): Settings | undefined {
  try {
    return readSettings(createConsoleCode.access, options)
  } catch (error) {
    if (error instanceof Failure && error.body.error === 'usage') return undefined
    throw error
  }
}

async function codeByOperator(given: string | undefined, options: Options): Promise<unknown> {
  const settings = readSettings(createAccountConsoleCode.access, options)
  return call(createAccountConsoleCode, { user_id: given ?? (await onlyAccount(settings)) }, settings)
}

const NAME = 'Reset key'

/** Command that creates a new key for an account whose keys are lost. */
export const RESET: OwnCommand = {
  words: ['keys', 'reset'],
  operands: '[USER_ID]',
  summary: 'Create a new API key for an account whose keys are lost',
  access: 'admin',
  given: { USER_ID: 'The account. Default: the only one.' },
  options: {
    name: { form: 'TEXT', meaning: `A label for the new key. Default: "${NAME}".` },
    'revoke-others': {
      form: 'FLAG',
      meaning: 'Revoke all other keys of the account. Default: they stay valid.',
    },
  },
  examples: ['keys reset --revoke-others'],
  run: resetKey,
}

/**
 * Creates a key of the named or the only account and prints it, with the number of the account's other valid keys.
 * Throws Failure if no account is named and there are several, or if the service reports an error.
 */
async function resetKey({ operands, options }: ParsedArguments): Promise<number> {
  const [given, extra] = operands
  if (extra !== undefined)
    throw usageFailure(`Unexpected operand "${extra}". Usage: cairn keys reset ${RESET.operands}`)
  const settings = readSettings('admin', options)
  const userId = given ?? (await onlyAccount(settings))
  const name = typeof options.name === 'string' ? options.name : NAME
  const reply = await accountKey(userId, name, settings, options['revoke-others'] === true)
  await print(options.json ? jsonText(reply) : forPeople(reply))
  return 0
}

/** Creates another key of an account with the operator's key. */
export async function accountKey(
  userId: string,
  name: string,
  settings: Settings,
  revokeOthers = false,
): Promise<OutputRow & { key: string }> {
  const input = { user_id: userId, name, revoke_others: revokeOthers }
  return (await call(operations.createAccountKey, input, settings)) as OutputRow & { key: string }
}

/** Returns the id of the only account. Throws Failure if there are several, or none. */
async function onlyAccount(settings: Settings): Promise<string> {
  const [only, other] = await someAccounts(settings, 2)
  if (only && !other) return only.user_id
  const detail = only
    ? 'There are several accounts. Give the USER_ID of one; `cairn accounts` lists them.'
    : 'There is no account yet. `cairn init` or `cairn accounts create` creates one with its first key.'
  throw new Failure(detail, { error: 'no_account_named', detail })
}

/** Returns the newest accounts, at most `limit`. */
export async function someAccounts(
  settings: Settings,
  limit: number,
): Promise<{ user_id: string; display_name: string; status: string }[]> {
  const reply = await call(operations.listAccounts, { limit }, settings)
  return (reply as { accounts: { user_id: string; display_name: string; status: string }[] }).accounts
}

function forPeople(reply: OutputRow): string {
  const { keys_kept: kept, keys_revoked: revoked, warning, ...rest } = reply
  const others =
    Number(revoked) > 0 ? `${revoked} other keys were revoked.` : `${kept} other keys of the account are still valid.`
  return `${fieldsTable(rest)}${warning}\n${others}\n`
}
