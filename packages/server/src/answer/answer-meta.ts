import { type AccessScope, assertStillAllowed } from '../tenancy/access/access-scope.ts'
import { type Event, events, type Stream } from '../tenancy/handler.ts'
import type { AnswerCtx } from './context.ts'
import { ModelFailure, type ModelFailureKind, WARNINGS } from './models/model.ts'

/** Metadata of an answer: its mode and warnings for the client. */
export interface AnswerMeta {
  mode?: 'model' | 'extractive'
  warnings?: string[]
  /** Cited and retrieved records, best first. They are stored with the answer. */
  usedRecords?: { cited: readonly string[]; retrieved: readonly string[] }
}

/** A response together with how it was composed. */
export interface Answered<Reply> {
  reply: Reply
  how: AnswerMeta
}

/** Subject of the warning sentence for each use of a model. */
const MODEL_SUBJECTS = {
  writer: 'The writing model',
  reranker: 'The reranking model',
  embedder: 'The embedding model',
} as const

/** Returns a warning for the caller if the model failed. */
export function warningsOf(purpose: keyof typeof MODEL_SUBJECTS, failure: ModelFailureKind | undefined): string[] {
  return failure ? [`${MODEL_SUBJECTS[purpose]} ${WARNINGS[failure]}; the answer was composed without it.`] : []
}

export function allWarnings(failures: Partial<Record<keyof typeof MODEL_SUBJECTS, ModelFailureKind>>): string[] {
  return (Object.keys(MODEL_SUBJECTS) as (keyof typeof MODEL_SUBJECTS)[]).flatMap((who) =>
    warningsOf(who, failures[who]),
  )
}

/**
 * Returns headers that state if a model wrote the answer. Returns none if no model was requested and there are no
 * warnings.
 */
export function answerHeaders({ mode, warnings = [] }: AnswerMeta): Record<string, string> {
  return {
    ...(mode && { 'x-interpret-mode': mode }),
    // 199 is the warn-code for miscellaneous warnings (RFC 7234, section 5.5).
    ...(warnings.length > 0 && { warning: warnings.map((text) => `199 cairn "${text}"`).join(', ') }),
  }
}

/** Returns the name of the model if it wrote the answer, as a field of the response. */
export function writtenBy(
  { models: { writer } }: Pick<AnswerCtx, 'models'>,
  { mode }: Pick<AnswerMeta, 'mode'>,
): { written_by?: string } {
  return mode === 'model' && writer ? { written_by: writer.name } : {}
}

/** Consumes a generator and returns its return value. */
export async function lastOf<R>(parts: AsyncGenerator<unknown, R>): Promise<R> {
  for (;;) {
    const part = await parts.next()
    if (part.done) return part.value
  }
}

/**
 * Streams the text of an answer and then the whole response. A text that is complete from the start is sent sentence by
 * sentence. If a model fails after its first parts, the next event has `restart`, and the client must discard the
 * earlier parts.
 */
export function streamBrief<Reply>(
  parts: AsyncGenerator<string, Answered<Reply>>,
  briefOf: (reply: Reply) => string,
): Stream {
  const headers: Record<string, string> = {}
  return events(toEvents(parts, briefOf, headers), headers)
}

/** Yields the events. The headers are set before the first event, because they are sent with it. */
async function* toEvents<Reply>(
  parts: AsyncGenerator<string, Answered<Reply>>,
  briefOf: (reply: Reply) => string,
  headers: Record<string, string>,
): AsyncGenerator<Event> {
  let sent = ''
  let last: Answered<Reply> | undefined
  const deltas = withLast(parts, (answered) => {
    last = answered
  })
  for await (const delta of deltas) {
    Object.assign(headers, answerHeaders({ mode: 'model' }))
    sent += delta
    yield { event: 'brief', data: { delta } }
  }
  const { reply, how } = last!
  if (sent === '') Object.assign(headers, answerHeaders(how))
  const brief = briefOf(reply)
  if (brief !== sent) yield* sentences(brief, sent !== '')
  yield { event: 'result', data: reply }
}

/** Yields the parts and passes the return value to `onReturn`. If the consumer stops early, the source stops too. */
async function* withLast<P, R>(parts: AsyncGenerator<P, R>, onReturn: (last: R) => void): AsyncGenerator<P> {
  onReturn(yield* parts)
}

function* sentences(brief: string, isRestart: boolean): Generator<Event> {
  for (const [at, delta] of brief.split(/(?<=[.!?…]\s+)(?=\S)/u).entries()) {
    yield { event: 'brief', data: { delta, ...(at === 0 && isRestart && { restart: true }) } }
  }
}

/** Waits for a model without a scheduler slot. Throws `not_found` if the caller loses access in the meantime. */
export async function waitForModel<T>(
  ctx: Pick<AnswerCtx, 'caller' | 'sql' | 'slot'>,
  access: AccessScope,
  ask: () => Promise<T>,
): Promise<{ result: T } | { failure: ModelFailureKind }> {
  ctx.slot.end()
  try {
    const result = await ask()
    await assertStillAllowed(ctx, access)
    return { result }
  } catch (error) {
    if (!(error instanceof ModelFailure)) throw error
    await assertStillAllowed(ctx, access)
    return { failure: error.kind }
  }
}
