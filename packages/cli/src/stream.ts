import type { Operation } from '@cairnstore/contract'
import { answered, patiently, send, unanswered } from './call.ts'
import { Failure } from './failure.ts'
import type { Inputs } from './inputs.ts'
import type { Settings } from './settings.ts'

/** One event of a stream, with its data as JSON. */
interface Event {
  event: string
  data: unknown
}

/** What is told while it comes: a piece of it, which voids those before it when it is the first of a new telling. */
export interface Piece {
  delta: string
  restart?: boolean
}

/**
 * Sends one request, gives each piece of what is told as it comes, and in the end the reply's JSON; throws Failure for
 * everything else that can come of it.
 */
export async function callStreamed(
  operation: Operation,
  inputs: Inputs,
  settings: Settings,
  onPiece: (piece: Piece) => Promise<void>,
): Promise<unknown> {
  return patiently(settings, async () => {
    const reply = await send(operation, inputs, settings, 'text/event-stream')
    const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true
    try {
      if (!isStream || !reply.body) return answered(reply, await reply.text(), operation, settings)
      for await (const { event, data } of eventsIn(reply.body)) {
        if (event === 'brief') await onPiece(data as Piece)
        // A failure has the body that it has elsewhere, which says itself that it is one.
        else return answered(reply, JSON.stringify(data), operation, settings)
      }
    } catch (error) {
      throw error instanceof Failure ? error : unanswered(error, operation, settings)
    }
    throw unanswered(new Error('it ended early'), operation, settings)
  })
}

/** The events of a body, as far as their data is a line of JSON each. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Event> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const bytes of body) {
    held += decoder.decode(bytes, { stream: true })
    const events = held.split('\n\n')
    held = events.pop()!
    for (const text of events) {
      const lines = text.split('\n')
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const [event, data] = [field('event'), field('data')]
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) }
    }
  }
}
