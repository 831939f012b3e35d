import { hmacSha256, sameDigest } from './digest.ts'
import { Fault } from './fault.ts'

/** The last row of a page, as the values it was ordered by. */
export type Position = (string | number | null)[]

/** Packs and unpacks cursors under one secret. */
export interface Cursors {
  /** An opaque cursor after `position` in the list that `scope` describes: who asked, for what, with which filters. */
  pack(scope: string, position: Position): string
  /** The position inside a cursor; one that was altered, or given for another scope, is `invalid_cursor`. */
  unpack(scope: string, cursor: string): Position
}

const TAG_BYTES = 16

/** The bytes that a text stands for, or none when it is another spelling of them (RFC 4648 section 3.5). */
function bytesOf(cursor: string): Buffer {
  const bytes = Buffer.from(cursor, 'base64url')
  return bytes.toString('base64url') === cursor ? bytes : Buffer.alloc(0)
}

/** Cursors that only the holder of this secret can make. */
export function cursorsUnder(secret: Uint8Array): Cursors {
  const tag = (scope: string, payload: Uint8Array) =>
    hmacSha256(secret, `cursor\n${Buffer.from(payload).toString('base64url')}\n${scope}`).subarray(0, TAG_BYTES)
  return {
    pack(scope, position) {
      const payload = Buffer.from(JSON.stringify(position))
      return Buffer.concat([tag(scope, payload), payload]).toString('base64url')
    },
    unpack(scope, cursor) {
      const bytes = bytesOf(cursor)
      const payload = bytes.subarray(TAG_BYTES)
      if (payload.length === 0 || !sameDigest(bytes.subarray(0, TAG_BYTES), tag(scope, payload))) {
        throw new Fault('invalid_cursor')
      }
      return JSON.parse(payload.toString('utf8')) as Position
    },
  }
}

/** What a caller of a paged list asks for. */
export interface PageAsked {
  limit?: number | undefined
  cursor?: string | undefined
}

/** A page of a list, which is read by asking for one row more than it shows. */
export interface Page {
  /** The position that the page follows; undefined for the first page. */
  readonly after: Position | undefined
  /** Rows to ask for. */
  readonly rowsMax: number
  /** The rows that the page shows of those that were found, and what the reply has beside them. */
  cut<Row>(found: readonly Row[], positionOf: (last: Row) => Position): Cut<Row>
}

interface Cut<Row> {
  rows: Row[]
  end: { count: number; next_cursor?: string }
}

/** Rows of a page when the caller names no number. */
const PAGE_ROWS = 1000

/**
 * The page that is asked for of the list that `scope` names: who asks, for what, with which filters. Throws
 * `invalid_cursor`.
 */
export function openPage(cursors: Cursors, scope: unknown, { limit = PAGE_ROWS, cursor }: PageAsked): Page {
  const name = JSON.stringify(scope)
  return {
    after: cursor === undefined ? undefined : cursors.unpack(name, cursor),
    rowsMax: limit + 1,
    cut: (found, positionOf) => {
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      const more = found.length > limit && last !== undefined && { next_cursor: cursors.pack(name, positionOf(last)) }
      return { rows, end: { count: rows.length, ...more } }
    },
  }
}
