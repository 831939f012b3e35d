import type { Answer } from './test-app.ts'

/** One server-sent event. */
export interface Told {
  event: string
  data: Answer['body']
}

/** Parses the events of a complete stream. */
export function eventsOf(body: string): Told[] {
  return body
    .split('\n\n')
    .filter(Boolean)
    .map((text) => {
      const [event = '', data = ''] = text.split('\n')
      return { event: event.replace('event: ', ''), data: JSON.parse(data.replace('data: ', '')) }
    })
}

/** Joins the pieces of a streamed brief, starting at the first piece that restarts it. */
export function lastTelling(told: Told[]): string {
  const anew = told.findIndex(({ data }) => data.restart)
  const pieces = told.slice(Math.max(0, anew)).filter(({ event }) => event === 'brief')
  return pieces.map(({ data }) => data.delta).join('')
}
