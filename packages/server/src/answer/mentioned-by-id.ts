import type { NamedEntity, ReadRecord } from '@cairnstore/engine/resolve'

const ID = /([@#])([A-Z][A-Z\d]{1,30})(?![\p{L}\p{N}_])/gu

/**
 * Returns a text with the names of people and channels that it calls by their ids at a provider, as far as they are
 * known now: a message may name somebody whose name came later.
 */
export function withNamesOfIds(
  text: string,
  { things }: Pick<ReadRecord, 'things'>,
  names: ReadonlyMap<string, NamedEntity>,
): string {
  return text.replace(ID, (whole, sign: string, id: string) => {
    const called = things.find(({ thing }) => [thing.given.identifiers.id ?? []].flat().includes(id))
    const name = called?.entityId && names.get(called.entityId)?.name
    return name && name !== id ? `${sign}${name.startsWith(sign) ? name.slice(sign.length) : name}` : whole
  })
}
