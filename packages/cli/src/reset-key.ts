import { operations } from '@cairn/contract'
import { call } from './call.ts'
import { Failure, usageFailure } from './failure.ts'
import { toInputs } from './inputs.ts'
import { fieldsTable, print, type Row } from './output.ts'
import { readSettings, type Settings } from './settings.ts'

/** The command that lets the owner of a lost key in again, and its options. */
export const RESET = {
  noun: 'keys',
  verb: 'reset',
  operands: '[USER_ID]',
  summary: 'Make another API key of an account whose keys are lost',
  options: {
    name: 'A label of the new key; "Reset key" when omitted.',
    'revoke-others': 'Stop all other keys of the account; they go on working when omitted.',
  },
} as const

const NAME = 'Reset key'
const JSON_INDENT = 2

/** What was typed after the command. */
export interface ResetTyped {
  operands: string[]
  options: Record<string, string | boolean | undefined>
}

/**
 * Makes a key of the named account, or of the only one there is, and prints it once with what became of the others.
 * Throws Failure when nobody is named among several accounts, and when the service says no.
 */
export async function resetKey({ operands, options }: ResetTyped): Promise<void> {
  const [given, extra] = operands
  if (extra !== undefined) throw usageFailure(`"${extra}" is one too many. This takes ${RESET.operands}.`)
  const settings = readSettings('admin')
  const userId = given ?? (await onlyAccount(settings))
  const name = typeof options.name === 'string' ? options.name : NAME
  const inputs = toInputs(operations.createAccountKey, [userId, name], {})
  const body = { ...inputs.body, revoke_others: options['revoke-others'] === true }
  const reply = (await call(operations.createAccountKey, { ...inputs, body }, settings)) as Row
  await print(options.json ? `${JSON.stringify(reply, null, JSON_INDENT)}\n` : forPeople(reply))
}

async function onlyAccount(settings: Settings): Promise<string> {
  const operation = operations.listAccounts
  const reply = await call(operation, { ...toInputs(operation, [], {}), query: { limit: '2' } }, settings)
  const { accounts } = reply as { accounts: { user_id: string }[] }
  const [only, other] = accounts
  if (only && !other) return only.user_id
  const detail = only
    ? 'There are several accounts. Name the one: `cairn keys reset USER_ID`; `cairn accounts list` shows them.'
    : 'There is no account yet. `cairn accounts create` makes one with its first key.'
  throw new Failure(detail, { error: 'no_account_named', detail })
}

function forPeople(reply: Row): string {
  const { keys_kept: kept, keys_revoked: revoked, warning, ...rest } = reply
  const others =
    Number(revoked) > 0 ? `${revoked} other keys no longer work.` : `${kept} other keys of the account work as before.`
  return `${fieldsTable(rest)}${warning}\n${others}\n`
}
