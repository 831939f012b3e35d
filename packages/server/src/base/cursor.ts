import { hmacSha256, sameDigest } from './digest.ts'
import { Fault } from './fault.ts'

/** Sort values of the last row of a page. */
export type Position = (string | number | null)[]

/** Signs and verifies cursors with one secret. */
export interface Cursors {
  /** Returns an opaque cursor for the rows after `position` in the list that `scope` identifies. */
  pack(scope: string, position: Position): string
  /** Returns the position in a cursor. Throws `invalid_cursor` if it was altered or belongs to another scope. */
  unpack(scope: string, cursor: string): Position
}

const TAG_BYTES = 16

/** Decodes base64url. Returns no bytes for a non-canonical encoding (RFC 4648 section 3.5). */
function bytesOf(cursor: string): Buffer {
  const bytes = Buffer.from(cursor, 'base64url')
  return bytes.toString('base64url') === cursor ? bytes : Buffer.alloc(0)
}

/** Creates cursors that are signed with an HMAC of the secret. */
export function createCursors(secret: Uint8Array): Cursors {
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

export interface PageRequest {
  limit?: number | undefined
  cursor?: string | undefined
}

/** A page of a list. Its query reads one row more than the page shows, to know if there is a next page. */
export interface Page {
  /** Position before the page. Undefined for the first page. */
  readonly after: Position | undefined
  /** Number of rows to query. */
  readonly rowsMax: number
  /** Returns the rows to show, and the count and next cursor for the reply. */
  cut<Row>(found: readonly Row[], positionOf: (last: Row) => Position): Cut<Row>
}

interface Cut<Row> {
  rows: Row[]
  end: { count: number; next_cursor?: string }
}

/** Default number of rows per page. */
const PAGE_ROWS = 1000

/** Opens the requested page. `scope` identifies the list: caller, resource and filters. Throws `invalid_cursor`. */
export function openPage(cursors: Cursors, scope: unknown, { limit = PAGE_ROWS, cursor }: PageRequest): Page {
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
