import { shownOnce } from '@cairnstore/contract'
import type { Tx } from '../../db/open.ts'
import type { Ctx } from '../context.ts'
import { keep } from './keyed-request.ts'

/** What a kept reply takes of its request. */
export type Keeping = Pick<Ctx, 'operation' | 'keyed'>

/**
 * Keeps a reply for repeats of a request that brought a key, in the transaction of its effect, so that neither is
 * without the other. What is shown once is kept as null. Without a key it does nothing.
 */
export async function keepReply(
  ctx: Keeping,
  tx: Tx,
  body: object,
  status: number = ctx.operation.status,
): Promise<void> {
  if (!ctx.keyed) return
  const secrets = shownOnce(ctx.operation.reply?.json).filter((name) => name in body)
  const hidden = Object.fromEntries(secrets.map((name) => [name, null]))
  await keep(tx, ctx.keyed.request, { status, body: { ...body, ...hidden } })
  ctx.keyed.isKept = true
}
