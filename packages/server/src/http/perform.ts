import { needsReach, type Operation } from '@cairnstore/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Fault } from '../base/fault.ts'
import type { Call, Given } from '../mcp/context.ts'
import { recordReadAs } from '../tenancy/audit/record-read-as.ts'
import { unlock } from '../tenancy/caller-keys/unlock.ts'
import { type InputOf, Reply } from '../tenancy/handler.ts'
import { answerOnce } from '../tenancy/idempotency/answer-once.ts'
import { type Admitted, assertAllowed, assertKind } from './admit.ts'
import type { Handler } from './context.ts'
import { type AssertRules, type Input, READING } from './input.ts'
import type { Share } from './loop-shares.ts'
import type { Mounting, Named } from './mounting.ts'
import { openCtx, takeKey } from './open-ctx.ts'
import { admitRate, rateOf } from './rate.ts'
import { inTurn, turnClassOf } from './turns.ts'

/** An operation with what answers it and what its input must keep. */
export interface Performed {
  readonly operation: Named
  readonly handler: Handler<Operation>
  readonly assertRules: AssertRules
}

/** A request as it came, and what the checks before its body found. */
interface Arrival {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly admitted: Admitted
  /** Gives the signal that nobody waits any more. */
  readonly gone: () => AbortSignal
}

/** The operations that are mounted, by their ids. */
export type AllPerformed = ReadonlyMap<string, Performed>

/** Lets the handler answer a checked input under the caller's key, when it is the caller's turn. */
export async function perform(
  { operation, handler }: Performed,
  mounting: Mounting,
  arrival: Arrival,
  input: Input,
  all: AllPerformed,
): Promise<unknown> {
  const { request, reply, admitted, gone } = arrival
  const newKey = takeKey(request, input, 'x-new-encryption')
  const key = unlock(mounting.app.seals, operation.content, admitted.reach, takeKey(request, input), newKey)
  if (key) request.keys = [...(request.keys ?? []), key]
  const call = callWithin(operation, mounting, arrival, input, all)
  const ctx = openCtx(mounting, operation, request, gone, { ...admitted, key, newKey, call }, input)
  if (admitted.as) await recordReadAs(mounting.app, admitted, request.id)
  const work = () => handler(ctx, { ...input, reach: admitted.reach } as unknown as InputOf<Operation>)
  const answering = () => answerOnce(ctx, input.lines ?? input.upload?.chunks, work)
  const begun = (share: Share) => {
    request.share = share
    request.arrived?.()
  }
  const turnClass = turnClassOf(operation)
  const tenant = admitted.caller?.accountId ?? request.ip
  const turn = turnClass && { of: mounting.turns[turnClass], tenant, isLong: turnClass === 'flow', begun }
  const answer = turn ? await inTurn(turn, ctx, reply.raw, answering) : await answering()
  const event = 'event' in operation.audit ? operation.audit.event : ''
  if (admitted.reach && CHANGES.test(event)) mounting.changed(admitted.reach.sandboxId)
  return answer
}

/** Audit events of operations after which a source may be another than it was. */
const CHANGES = /^(?:source|sandbox)\./

/**
 * The other operations, to an operation that calls them: each by the caller and the reach of the request, by its own
 * role, limits by the minute, rules, turn and audit event, as if it had been asked for by itself.
 */
function callWithin(outer: Named, mounting: Mounting, arrival: Arrival, { headers }: Input, all: AllPerformed): Call {
  const call = async (id: string, given: Given): Promise<unknown> => {
    const called = all.get(id)
    if (!outer.calls || !called) throw new Error(`${outer.id} calls ${id}, which it cannot`)
    const { operation, assertRules } = called
    const { caller, reach } = arrival.admitted
    assertKind(operation, caller!)
    assertAllowed(operation, caller!, reach, true)
    const inside = {
      ...arrival,
      admitted: { caller, reach: needsReach(operation) ? reach : undefined, rate: undefined },
    }
    const rate = rateOf(operation, reach, mounting.app)
    if (rate) await admitRate(arrival.request, rate, mounting.app)
    const input: Input = {
      ...NOTHING_SENT,
      headers,
      params: { ...given.params, ...(reach && { sandbox_id: reach.sandboxId }) },
      query: given.query ?? {},
      body: given.body,
      waitSeconds: given.waitSeconds ?? 0,
    }
    assertRules(input)
    const answer = await perform(called, mounting, inside, input, all)
    return answer instanceof Reply ? answer.body : answer
  }
  return call as Call
}

/** What a request within another does not bring. */
const NOTHING_SENT = {
  lines: undefined,
  upload: undefined,
  reading: READING,
  fingerprint: () => {
    throw new Fault('internal_error', { note: 'a request within another has no key for repeats' })
  },
  idempotencyKey: undefined,
  ifMatch: undefined,
  raw: undefined,
  wantsStream: false,
} as const
