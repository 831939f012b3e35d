import { newId } from '../../base/id.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { App } from '../context.ts'
import { isApiKey, newApiKey } from './key-format.ts'
import { insertAccount, insertKey } from './store.ts'

const DISPLAY_NAME = 'First account'
const KEY_NAME = 'First key'

/**
 * Makes the first account with an API key, the given one or a new one, and returns the key; undefined when there is an
 * account already. Throws ConfigError when the given key has not the form of one.
 */
export async function bootstrapAccount(
  { sql, clock }: Pick<App, 'sql' | 'clock'>,
  given: string | null,
): Promise<string | undefined> {
  if (given !== null && !isApiKey(given)) {
    throw new ConfigError(
      'CAIRN_BOOTSTRAP_API_KEY must be cairn_, 43 base64url characters and the 6 base62 characters of their CRC32.',
    )
  }
  const existing = await sql.transact({ operator: true }, (tx) =>
    tx.selectFrom('account').select('user_id').limit(1).executeTakeFirst(),
  )
  if (existing) return undefined
  const key = given ?? newApiKey()
  const userId = newId('account', clock)
  const createdAt = clock.now()
  await sql.transact(userId, async (tx) => {
    await insertAccount(tx, userId, DISPLAY_NAME, createdAt)
    await insertKey(tx, { userId, id: newId('key', clock), name: KEY_NAME, key, createdAt, expiresAt: null })
  })
  return key
}
