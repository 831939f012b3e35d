import { randomInt } from 'node:crypto'
import { hmacSha256, sameDigest } from '../../base/digest.ts'
import { ofSandbox } from '../../db/of-sandbox.ts'
import type { Tx } from '../../db/open.ts'
import type { SourcesCtx } from '../context.ts'
import { takeFlow } from '../oauth/consent-rows.ts'
import type { ConsentRef } from '../oauth/oauth-port.ts'

/** Characters that are easy to distinguish and form no words. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ23456789'
const CODE_CHARS = 8
const GROUP_CHARS = 4
const WRONG_MAX = 5

/** Returns a new confirmation code in its displayed form: 8 characters from an alphabet of 28, which is 38 bits. */
export function newConfirmation(): string {
  const chars = Array.from({ length: CODE_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `${chars.slice(0, GROUP_CHARS)}-${chars.slice(GROUP_CHARS)}`
}

/** Returns the digest that is stored for a code. It is keyed, because a short code could be found by brute force. */
export function confirmationHash(key: Uint8Array, place: ConsentRef, code: string): Buffer {
  const typed = code.toUpperCase().replace(/[^A-Z0-9]/g, '')
  return hmacSha256(key, JSON.stringify(['oauth-confirmation', place.sandboxId, place.sourceId, typed]))
}

/**
 * Compares a code with the stored one and counts wrong codes. The right code and the fifth wrong one consume the
 * consent and return it as `taken`. Only the account that started the consent can use its code.
 */
export async function matchCode(
  ctx: Pick<SourcesCtx, 'clock' | 'secrets' | 'signInKey'>,
  tx: Tx,
  place: ConsentRef,
  { code, accountId }: { code: string; accountId: string },
) {
  const own = ofSandbox(place, { source_id: place.sourceId })
  const flow = await tx.selectFrom('oauth_flow').selectAll().where(own).forUpdate().executeTakeFirst()
  const isOpen = flow?.phase === 'confirming' && flow.started_by === accountId && flow.expires_at > ctx.clock.now()
  if (!isOpen || flow.code_hash === null) return { taken: undefined, isRight: false }
  const isRight = sameDigest(flow.code_hash, confirmationHash(ctx.signInKey, place, code))
  if (isRight || flow.wrong_codes + 1 >= WRONG_MAX) {
    return { taken: await takeFlow(ctx.secrets, tx, place), isRight }
  }
  await tx
    .updateTable('oauth_flow')
    .set({ wrong_codes: flow.wrong_codes + 1 })
    .where(own)
    .execute()
  return { taken: undefined, isRight }
}
