import { hostname } from 'node:os'
import { operations } from '@cairnstore/contract'
import { type AccessibleSandbox, call, listSandboxes, type NamedSandbox } from '../call.ts'
import type { Options } from '../inputs.ts'
import { Failure, printable, usageFailure } from '../output.ts'
import { accountKey, someAccounts } from '../profile-commands.ts'
import type { Profile } from '../profiles.ts'
import { accountId } from '../run-command.ts'
import { adminKey, isKey, type Settings, userName } from '../settings.ts'

/** A working key and its account. */
interface OpenedAccount {
  key: string
  userId: string
  /** Origin of the key, in words. */
  from: string
}

interface KeyRequest {
  /** Candidate keys, the most likely first. */
  known: readonly string[]
  /** Account to create a key for. */
  userId: string | undefined
  asking: Prompts | undefined
}

const UNAUTHORIZED = 401
/** Maximum number of accounts offered to choose from. */
const ACCOUNTS_SHOWN = 100
const KEY_NAME_CHARS_MAX = 100

/** Returns a name that distinguishes keys made by the command line: user, host and time. */
function keyName(): string {
  const minute = new Date().toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')
  return `Command line, ${minute}, ${userName() || 'unnamed user'}@${hostname()}`.slice(0, KEY_NAME_CHARS_MAX)
}

/** Finds a key: a known one, one created with the operator's key, or one that the user types. Else throws Failure. */
export async function findKey(settings: Settings, { known, userId, asking }: KeyRequest): Promise<OpenedAccount> {
  for (const key of known) {
    const opened = await tried(settings, key, 'existing')
    if (opened && (userId === undefined || opened.userId === userId)) return opened
  }
  const operator = adminKey(settings.url)
  if (operator) return newKey({ ...settings, ...operator }, userId, asking)
  if (asking) {
    const key = (await asking.secret(`An API key of an account at ${settings.url}:`)).trim()
    const opened = await tried(settings, key, 'given')
    if (opened) return opened
  }
  const refused = known.length > 0 || asking ? `The service at ${settings.url} rejects the key. ` : ''
  const detail =
    `${refused}Set CAIRN_API_KEY to an API key of an account at ${settings.url}, or CAIRN_ADMIN_KEY to the ` +
    'operator’s key. An embedded service stores it as admin.key in its data folder (CAIRN_DATA).'
  throw new Failure(detail, { error: 'no_key', detail })
}

async function tried(settings: Settings, key: string, from: string): Promise<OpenedAccount | undefined> {
  if (!isKey(key)) return undefined
  try {
    return { key, userId: await accountId({ ...settings, key }), from }
  } catch (error) {
    if (error instanceof Failure && error.status === UNAUTHORIZED) return undefined
    throw error
  }
}

async function newKey(
  operator: Settings,
  userId: string | undefined,
  asking: Prompts | undefined,
): Promise<OpenedAccount> {
  const accounts = (await someAccounts(operator, ACCOUNTS_SHOWN)).filter(({ status }) => status === 'active')
  if (userId === undefined && accounts.length === 0) return newAccount(operator)
  const chosen = userId ?? (accounts.length === 1 ? accounts[0]!.user_id : await choose(accounts, asking))
  const { key } = await accountKey(chosen, keyName(), operator)
  return { key, userId: chosen, from: 'created' }
}

async function newAccount(operator: Settings): Promise<OpenedAccount> {
  const asked = { display_name: userName() || 'First account' }
  const made = (await call(operations.createAccount, asked, operator)) as { user_id: string; key: string }
  return { key: made.key, userId: made.user_id, from: 'created, with its account' }
}

async function choose(
  accounts: readonly { user_id: string; display_name: string }[],
  asking: Prompts | undefined,
): Promise<string> {
  const choices = accounts.map(({ user_id: value, display_name: name }) => ({
    value,
    label: printable(`${name} (${value})`),
  }))
  if (asking) return asking.choose('Create a key for which account?', choices)
  const shown = choices.map(({ label }) => label).join(', ')
  throw usageFailure(`There are several accounts: ${shown}. Select one with --user-id.`)
}

interface SandboxRequest {
  /** Id or name. */
  wanted: string | undefined
  /** Account whose id becomes the `owner_id` of a new sandbox. */
  owner: string
  before: Profile | undefined
  asking: Prompts | undefined
}

const DEFAULT_NAME = 'Notes'
const NEW = 'new'
const ID = /^sbx_/

/**
 * Returns the wanted sandbox and the existing ones. Creates the sandbox if the account has none of that name,
 * regardless of `owner_id`. Throws Failure for an unknown id and for an ambiguous name.
 */
export async function findSandbox(
  settings: Settings,
  wanted: SandboxRequest,
): Promise<{ sandbox: NamedSandbox; there: NamedSandbox[] }> {
  const there = await listSandboxes(settings)
  return { sandbox: await chosen(settings, there, wanted), there }
}

async function chosen(
  settings: Settings,
  there: AccessibleSandbox[],
  { wanted, owner, before, asking }: SandboxRequest,
): Promise<NamedSandbox> {
  const byId = (id: string | undefined) => there.find(({ sandbox_id }) => sandbox_id === id)
  if (wanted !== undefined && ID.test(wanted)) {
    const found = byId(wanted)
    if (found) return found
    const detail = `There is no sandbox ${wanted}, or the key has no access to it. Name another with --sandbox.`
    throw new Failure(detail, { error: 'not_found', detail })
  }
  if (wanted === undefined && asking && there.length > 0) {
    const choices = there.map(({ sandbox_id: value, name }) => ({ value, label: printable(`${name} (${value})`) }))
    const answer = await asking.choose('Which sandbox?', [{ value: NEW, label: 'A new one' }, ...choices])
    if (answer !== NEW) return byId(answer)!
  } else if (wanted === undefined && !asking) {
    const found = byId(before?.sandbox_id)
    if (found) return found
  }
  const name = wanted ?? (asking ? await asking.text('What should it be called?', DEFAULT_NAME) : DEFAULT_NAME)
  const called = there.filter((each) => each.name === name && each.access === 'owner')
  const found = called.find((each) => each.owner_id === owner) ?? (called.length === 1 ? called[0] : undefined)
  if (found) return found
  if (called.length === 0) return made(settings, name, owner)
  const ids = called.map(({ sandbox_id: id }) => id).join(', ')
  const detail = `Several sandboxes are called "${name}". Select one by its id with --sandbox: ${ids}.`
  throw new Failure(printable(detail), { error: 'no_sandbox_named', detail })
}

async function made(settings: Settings, name: string, owner: string): Promise<NamedSandbox> {
  return (await call(operations.createSandbox, { name, owner_id: owner }, settings)) as NamedSandbox
}

/** Prompts for a user at a terminal. Each throws Failure if the user cancels. */
export interface Prompts {
  text(question: string, likely: string): Promise<string>
  secret(question: string): Promise<string>
  choose(question: string, choices: readonly { value: string; label: string }[]): Promise<string>
}

const USUAL_COLUMNS = 80
const USUAL_ROWS = 24

/** Returns prompts; undefined without a terminal, or if a program reads the output. */
export async function openPrompts(options: Options): Promise<Prompts | undefined> {
  const isAtTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  if (!isAtTerminal || options.json === true || options.quiet === true) return undefined
  // Without a known size, the prompts would wrap after each letter.
  process.stdout.columns ||= USUAL_COLUMNS
  process.stdout.rows ||= USUAL_ROWS
  const { password, select, text } = await import('@clack/prompts')
  // A canceled prompt returns a symbol.
  const answered = (answer: string | symbol): string => {
    if (typeof answer === 'string') return answer
    throw new Failure('Canceled. Nothing was stored.', { error: 'left', detail: 'Canceled. Nothing was stored.' })
  }
  return {
    text: async (message, likely) => answered(await text({ message, placeholder: likely, defaultValue: likely })),
    secret: async (message) => answered(await password({ message })),
    choose: async (message, choices) => answered(await select({ message, options: [...choices] })),
  }
}
