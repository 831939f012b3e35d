import type { NamedEntity, ReadRecord } from '@cairnstore/engine/resolve'

const ID = /([@#])([A-Z][A-Z\d]{1,30})(?![\p{L}\p{N}_])/gu

/**
 * Replaces the provider ids of people and channels in a text with their current names. A message can arrive before the
 * name of a person that it mentions. Ids without a known name stay.
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
