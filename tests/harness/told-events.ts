import type { Answer } from './test-app.ts'

/** One event of a stream. */
export interface Told {
  event: string
  data: Answer['body']
}

/** The events of a stream that has ended. */
export function eventsOf(body: string): Told[] {
  return body
    .split('\n\n')
    .filter(Boolean)
    .map((text) => {
      const [event = '', data = ''] = text.split('\n')
      return { event: event.replace('event: ', ''), data: JSON.parse(data.replace('data: ', '')) }
    })
}

/** The brief that the pieces of a stream make, from the last one that begins anew. */
export function lastTelling(told: Told[]): string {
  const anew = told.findIndex(({ data }) => data.restart)
  const pieces = told.slice(Math.max(0, anew)).filter(({ event }) => event === 'brief')
  return pieces.map(({ data }) => data.delta).join('')
}
