/** A cursor that was returned, with the query that it belongs to. */
interface Given {
  query: string
  cursor: string
}

/** Latest cursors of each operation, to be sent back, sent to another operation, or corrupted. */
export interface Cursors {
  /** Stores the next cursor of a reply, if there is one. */
  note(operationId: string, query: string, payload: string): void
  /** Returns a query that continues an earlier one of the same operation; undefined if there is none. */
  own(operationId: string, pick: number): string | undefined
  /** Returns a cursor that this operation never returned. */
  forged(operationId: string, pick: number): string
}

const KEPT_MAX = 20
const JUNK = ['x', 'null', '%00', '..%2f', 'A'.repeat(200), Buffer.from('["sbx_1"]').toString('base64url')]

/** Returns an empty store of cursors. */
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
