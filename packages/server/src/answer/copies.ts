import type { StoredContent } from '@cairnstore/engine/resolve'

/** A record as far as it tells whether it is a copy. */
interface MayBeCopy extends Pick<StoredContent, 'text' | 'properties'> {
  readonly id: string
  readonly type: string
  readonly score: number
}

/** Records of which no two are files of one text, and of each the ids of those that are copies of it. */
interface Apart<R> {
  readonly originals: R[]
  copiesOf(id: string): readonly string[]
}

/**
 * Sets copies apart: one text in several files is one thing, told and cited once, with all its places. Of these the
 * most relevant is the original. What is in no file is no copy: two people may say the same.
 */
export function setCopiesApart<R extends MayBeCopy>(records: readonly R[]): Apart<R> {
  const byText = new Map<string, R[]>()
  for (const record of records) {
    const { type, text, properties } = record
    if (typeof properties?.path !== 'string' || !text) continue
    const key = `${type}\n${text}`
    byText.set(key, [...(byText.get(key) ?? []), record])
  }
  const copies = new Map<string, string[]>()
  const isCopy = new Set<string>()
  for (const same of byText.values()) {
    const [original, ...others] = same.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
    const ids = others.map(({ id }) => id)
    copies.set(original!.id, ids)
    for (const id of ids) isCopy.add(id)
  }
  return { originals: records.filter(({ id }) => !isCopy.has(id)), copiesOf: (id) => copies.get(id) ?? [] }
}

/** What rests on records rests on their copies too. */
export function withCopies<S extends { recordIds: string[] }>(
  statements: readonly S[],
  copiesOf: Apart<unknown>['copiesOf'],
): S[] {
  return statements.map((statement) => ({
    ...statement,
    recordIds: statement.recordIds.flatMap((id) => [id, ...copiesOf(id)]),
  }))
}
