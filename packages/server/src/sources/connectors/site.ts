import type { MappedRecord, Thing } from './draft.ts'
import { text } from './pick.ts'

/** The host of an address, in lower case, with its port. */
export function hostOf(url: string | undefined): string | undefined {
  return /^https?:\/\/(?:[^\s/@]*@)?([^\s/?#@]{1,255})/i.exec(url ?? '')?.[1]?.toLowerCase()
}

/** The host of the first valid address among these. */
export function firstHost(held: unknown, paths: readonly (readonly (string | number)[])[]): string | undefined {
  for (const path of paths) {
    const host = hostOf(text(held, ...path))
    if (host) return host
  }
  return undefined
}

/**
 * Records that are told by one site of a product: what the site numbers or names for itself says so.
 * @param isOfSite whether a thing's identifiers are the site's own; a login or a number is, when nothing else is said
 */
export function atSite(
  records: readonly MappedRecord[],
  site: string | undefined,
  isOfSite: (identifiers: Readonly<Record<string, unknown>>) => boolean,
): MappedRecord[] {
  if (!site) return [...records]
  const of = <T extends MappedRecord['author'] | undefined>(one: T): T =>
    one && typeof one === 'object' && one.identifiers && isOfSite(one.identifiers)
      ? { ...one, identifiers: { ...one.identifiers, site } }
      : one
  return records.map((record) => ({
    ...record,
    site,
    ...(record.author && { author: of(record.author) }),
    ...(record.participants && { participants: record.participants.map(of) }),
    ...(record.entities && { entities: record.entities.map((entity) => of<Thing>(entity as Thing)) }),
    ...(record.relations && {
      relations: record.relations.map((told) => ({ ...told, subject: of(told.subject), object: of(told.object) })),
    }),
  }))
}
