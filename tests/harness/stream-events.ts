import type { Answer } from './test-app.ts'

/** One server-sent event. */
export interface StreamEvent {
  event: string
  data: Answer['body']
}

/** Parses the events of a complete stream. */
export function eventsOf(body: string): StreamEvent[] {
  return body
    .split('\n\n')
    .filter(Boolean)
    .map((text) => {
      const [event = '', data = ''] = text.split('\n')
      return { event: event.replace('event: ', ''), data: JSON.parse(data.replace('data: ', '')) }
    })
}

/** Joins the pieces of a streamed brief, starting at the first piece that restarts it. */
export function streamedAnswer(events: StreamEvent[]): string {
  const anew = events.findIndex(({ data }) => data.restart)
  const pieces = events.slice(Math.max(0, anew)).filter(({ event }) => event === 'brief')
  return pieces.map(({ data }) => data.delta).join('')
}
