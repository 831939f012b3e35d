import { Fault } from '../base/fault.ts'
import type { Tx } from './open.ts'

/** A parsed `If-Match` condition: the accepted ETags, or any version. */
export type IfMatch = ReadonlySet<string> | 'any'

const versions = new WeakMap<object, number>()

/** Remembers the version of a body's resource for the response's `ETag`. Returns the body. */
export function withVersion<T extends object>(body: T, version: number): T {
  versions.set(body, version)
  return body
}

/** Returns the `ETag` of a versioned resource. Undefined for other bodies. */
export function etagOf(body: unknown): string | undefined {
  const version = typeof body === 'object' && body !== null ? versions.get(body) : undefined
  return version === undefined ? undefined : toEtag(version)
}

function toEtag(version: number): string {
  return `"${version}"`
}

const TAG = /^(W\/)?"[\x21\x23-\x7e]*"$/

/** Parses an `If-Match` header (RFC 9110 §13.1.1). Throws `invalid_header` if it is invalid. */
export function parseIfMatch(header: string): IfMatch {
  const tags = header.split(',').map((tag) => tag.trim())
  if (tags.length === 1 && tags[0] === '*') return 'any'
  if (!tags.every((tag) => TAG.test(tag))) {
    throw new Fault('invalid_header', {
      detail: 'Send If-Match with the ETag of the last response, such as "3", or with *.',
    })
  }
  return new Set(tags)
}

/** Throws `precondition_failed` if the version does not match the condition. Undefined matches any version. */
export function assertMatches(ifMatch: IfMatch | undefined, version: number): void {
  if (ifMatch === undefined || ifMatch === 'any' || ifMatch.has(toEtag(version))) return
  throw new Fault('precondition_failed')
}

/** Locks a row and checks its version against the condition. Does nothing without a condition. */
export async function assertVersion(
  tx: Tx,
  ifMatch: IfMatch | undefined,
  table: 'sandbox' | 'source' | 'project',
  { userId, id }: { userId: string; id: string },
): Promise<void> {
  if (ifMatch === undefined) return
  const row = await tx
    .selectFrom(table)
    .select('version')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row) assertMatches(ifMatch, row.version)
}
