import type { Interpretation } from '@cairn/contract'
import type { Event } from '../handler.ts'

/** The brief sentence by sentence as it is read, then the whole reply. */
export async function* briefParts(interpretation: Interpretation): AsyncGenerator<Event> {
  for (const delta of interpretation.brief.split(/(?<=[.!?…]\s+)(?=\S)/u)) {
    yield { event: 'brief', data: { delta } }
  }
  yield { event: 'result', data: interpretation }
}
