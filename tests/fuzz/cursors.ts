/** Where a page can go on, as it was given: the query that it came with belongs to it. */
interface Given {
  query: string
  cursor: string
}

/** The latest cursors of each operation, to be sent back, to another operation, and broken. */
export interface Cursors {
  /** Keeps what a reply gives to go on with, if it does. */
  note(operationId: string, query: string, payload: string): void
  /** A query that goes on where an earlier one of the same operation ended; nothing when none did. */
  own(operationId: string, pick: number): string | undefined
  /** A cursor that this operation never gave. */
  forged(operationId: string, pick: number): string
}

const KEPT_MAX = 20
const JUNK = ['x', 'null', '%00', '..%2f', 'A'.repeat(200), Buffer.from('["sbx_1"]').toString('base64url')]

/** Starts with none. */
export function openCursors(): Cursors {
  const all = new Map<string, Given[]>()
  return {
    note: (operationId, query, payload) => {
      const cursor = /"next_cursor":"([^"]+)"/.exec(payload)?.[1]
      if (cursor === undefined) return
      const without = query.replace(/(?:^|&)cursor=[^&]*/, '')
      all.set(operationId, [...(all.get(operationId) ?? []), { query: without, cursor }].slice(-KEPT_MAX))
    },
    own: (operationId, pick) => {
      const given = all.get(operationId) ?? []
      const one = given[pick % given.length]
      return one && [one.query, `cursor=${one.cursor}`].filter((part) => part !== '').join('&')
    },
    forged: (operationId, pick) => {
      const own = all.get(operationId)?.[0]?.cursor
      const foreign = [...all].find(([id]) => id !== operationId)?.[1][0]?.cursor
      const broken = own === undefined ? [] : [`${own}A`, own.slice(1), own.slice(0, -2), flipped(own)]
      const each = [...JUNK, ...broken, ...(foreign === undefined ? [] : [foreign])]
      return each[pick % each.length]!
    },
  }
}

function flipped(cursor: string): string {
  return `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`
}
