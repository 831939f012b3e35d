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
