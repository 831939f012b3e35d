import { type Event, events, type Stream } from '../tenancy/handler.ts'
import { assertStillReached, type Reach } from '../tenancy/reach/reach.ts'
import type { AnswerCtx } from './context.ts'
import { ModelFailure, type ModelFailureKind, WARNINGS } from './models/model.ts'

/** Who told an answer, where a model was asked for it, and what the caller should know of that. */
export interface How {
  mode?: 'model' | 'extractive'
  warnings?: string[]
  /** The records that it rests on and those that were retrieved for it, best first, for the stored answer. */
  rests?: { cited: readonly string[]; retrieved: readonly string[] }
}

/** A reply with how it was told. */
export interface Answered<Reply> {
  reply: Reply
  how: How
}

/** What a model was asked for that it did not do. */
const WANTED = {
  writer: 'The model that writes',
  reranker: 'The model that orders',
  embedder: 'The model that compares',
} as const

/** What a caller should know when the model was of no use. */
export function warningsOf(who: keyof typeof WANTED, failure: ModelFailureKind | undefined): string[] {
  return failure ? [`${WANTED[who]} ${WARNINGS[failure]}; the answer does without it.`] : []
}

/** The same of several. */
export function allWarnings(failures: Partial<Record<keyof typeof WANTED, ModelFailureKind>>): string[] {
  return (Object.keys(WANTED) as (keyof typeof WANTED)[]).flatMap((who) => warningsOf(who, failures[who]))
}

/** The headers that tell who wrote a brief, where a model is configured: none when none was to be asked. */
export function toldHeaders({ mode, warnings = [] }: How): Record<string, string> {
  return {
    ...(mode && { 'x-interpret-mode': mode }),
    // 199 is the code for a warning of any kind.
    ...(warnings.length > 0 && { warning: warnings.map((text) => `199 cairn "${text}"`).join(', ') }),
  }
}

/** What comes at the end of parts that nobody wants one by one. */
export async function lastOf<R>(parts: AsyncGenerator<unknown, R>): Promise<R> {
  for (;;) {
    const part = await parts.next()
    if (part.done) return part.value
  }
}

/**
 * The brief that `briefOf` finds in a reply, as it is told, then the whole reply. A brief that comes whole goes out
 * sentence by sentence. When a model fails after its first pieces, the piece that begins the other brief says
 * `restart`: what came before is void.
 */
export function streamBrief<Reply>(
  parts: AsyncGenerator<string, Answered<Reply>>,
  briefOf: (reply: Reply) => string,
): Stream {
  const headers: Record<string, string> = {}
  return events(toEvents(parts, briefOf, headers), headers)
}

/** Headers leave with the first event, so they are complete before it is given. */
async function* toEvents<Reply>(
  parts: AsyncGenerator<string, Answered<Reply>>,
  briefOf: (reply: Reply) => string,
  headers: Record<string, string>,
): AsyncGenerator<Event> {
  let told = ''
  let last: Answered<Reply> | undefined
  const deltas = withLast(parts, (answered) => {
    last = answered
  })
  for await (const delta of deltas) {
    Object.assign(headers, toldHeaders({ mode: 'model' }))
    told += delta
    yield { event: 'brief', data: { delta } }
  }
  const { reply, how } = last!
  if (told === '') Object.assign(headers, toldHeaders(how))
  const brief = briefOf(reply)
  if (brief !== told) yield* sentences(brief, told !== '')
  yield { event: 'result', data: reply }
}

/** The parts as they come; leaving them early ends what makes them. */
async function* withLast<P, R>(parts: AsyncGenerator<P, R>, keep: (last: R) => void): AsyncGenerator<P> {
  keep(yield* parts)
}

function* sentences(brief: string, isAnew: boolean): Generator<Event> {
  for (const [at, delta] of brief.split(/(?<=[.!?…]\s+)(?=\S)/u).entries()) {
    yield { event: 'brief', data: { delta, ...(at === 0 && isAnew && { restart: true }) } }
  }
}

/** Waits for a model, which is no work: others take their turns. Throws `not_found` when the reach was lost by then. */
export async function waitForModel<T>(
  ctx: Pick<AnswerCtx, 'caller' | 'sql' | 'turn'>,
  reach: Reach,
  ask: () => Promise<T>,
): Promise<{ result: T } | { failure: ModelFailureKind }> {
  ctx.turn.end()
  try {
    const result = await ask()
    await assertStillReached(ctx, reach)
    return { result }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    await assertStillReached(ctx, reach)
    return { failure: error.kind }
  }
}
