import { type Event, events, type Stream } from '../tenancy/handler.ts'
import type { Answered } from './interpret.ts'
import { toldHeaders } from './telling.ts'

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
