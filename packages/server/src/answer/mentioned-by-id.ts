import { MENTION } from '@cairnstore/engine/answer'
import type { NamedEntity, ReadRecord } from '@cairnstore/engine/resolve'

/**
 * Returns the current names of people and channels that the record mentions by provider id: `@U123` → `@Ada`. A message
 * may arrive before the name of a person in it. Unknown ids are omitted.
 */
export function namesOfIds(
  text: string,
  { things }: Pick<ReadRecord, 'things'>,
  names: ReadonlyMap<string, NamedEntity>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [mention] of text.matchAll(MENTION)) {
    const [sign, id] = [mention.slice(0, 1), mention.slice(1)]
    const called = things.find(({ thing }) => [thing.given.identifiers.id ?? []].flat().includes(id))
    const name = called?.entityId && names.get(called.entityId)?.name
    if (name && name !== id) found.set(mention, `${sign}${name.startsWith(sign) ? name.slice(sign.length) : name}`)
  }
  return found
}

/** Replaces the provider ids of people and channels in a text with their current names. */
export function withNamesOfIds(...[text, record, names]: Parameters<typeof namesOfIds>): string {
  const known = namesOfIds(text, record, names)
  return known.size === 0 ? text : text.replace(MENTION, (mention) => known.get(mention) ?? mention)
}
