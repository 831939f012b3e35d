import { operations } from '@cairnstore/contract'
import { call } from './call.ts'
import { Failure, usageFailure } from './failure.ts'
import { fieldsTable, jsonText, type OutputRow, print } from './output.ts'
import type { OwnCommand } from './own-command.ts'
import { readSettings, type Settings } from './settings.ts'
import type { Typed } from './typed.ts'

const NAME = 'Reset key'

/** The command that lets the owner of a lost key in again. */
export const RESET: OwnCommand = {
  words: ['keys', 'reset'],
  operands: '[USER_ID]',
  summary: 'Make another API key of an account whose keys are lost',
  access: 'admin',
  given: { USER_ID: 'The account; the only one there is when omitted.' },
  options: {
    name: { form: 'TEXT', meaning: `A label of the new key; "${NAME}" when omitted.` },
    'revoke-others': {
      form: 'FLAG',
      meaning: 'Stop all other keys of the account; they go on working when omitted.',
    },
  },
  examples: ['keys reset --revoke-others'],
  run: resetKey,
}

/**
 * Makes a key of the named account, or of the only one there is, and prints it once with what became of the others.
 * Throws Failure when nobody is named among several accounts, and when the service says no.
 */
async function resetKey({ operands, options }: Typed): Promise<number> {
  const [given, extra] = operands
  if (extra !== undefined) throw usageFailure(`"${extra}" is one too many. This takes ${RESET.operands}.`)
  const settings = readSettings('admin', options)
  const userId = given ?? (await onlyAccount(settings))
  const name = typeof options.name === 'string' ? options.name : NAME
  const reply = await accountKey(userId, name, settings, options['revoke-others'] === true)
  await print(options.json ? jsonText(reply) : forPeople(reply))
  return 0
}

/** Another key of an account, made by the operator. */
export async function accountKey(
  userId: string,
  name: string,
  settings: Settings,
  revokeOthers = false,
): Promise<OutputRow & { key: string }> {
  const asked = { user_id: userId, name, revoke_others: revokeOthers }
  return (await call(operations.createAccountKey, asked, settings)) as OutputRow & { key: string }
}

/** The one account that there is. Throws Failure where there are several, or none. */
export async function onlyAccount(settings: Settings): Promise<string> {
  const [only, other] = await someAccounts(settings, 2)
  if (only && !other) return only.user_id
  const detail = only
    ? 'There are several accounts. Name the one as USER_ID; `cairn accounts` lists them.'
    : 'There is no account yet. `cairn init` or `cairn accounts create` makes one with its first key.'
  throw new Failure(detail, { error: 'no_account_named', detail })
}

/** The newest accounts, at most this many. */
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
    Number(revoked) > 0 ? `${revoked} other keys no longer work.` : `${kept} other keys of the account work as before.`
  return `${fieldsTable(rest)}${warning}\n${others}\n`
}
