import type { RecordContent, Thing } from './record-content.ts'
import { declaredThings, type Origin, recordKey } from './things.ts'

/** A record whose external id another site of the same product may have given too. */
interface SiteRecord {
  content: RecordContent
  origin: Origin
  things: Thing[]
}

/** The external id of a record whose plain one is another site's. */
export function idAtSite({ external_id: id, site }: RecordContent): string {
  return `${id}@${site}`
}

/**
 * Products that stand at several sites number their things at each of them, and one source may be told by two. The
 * first to come has the plain external ids; those of another site name it. Takes the records of a batch in order.
 * @param storedAt the content that is stored under a record key (`recordKey`)
 */
export function createSiteTeller(storedAt: (key: string) => RecordContent | undefined): (record: SiteRecord) => void {
  const first = new Map<string, string>()
  return (record) => {
    const { content, origin } = record
    if (!content.site) return
    const [plain, own] = [content.external_id, idAtSite(content)]
    const stored = (id: string) => {
      const held = storedAt(recordKey(origin.sourceId, id))
      return held?.external_id === id ? held : undefined
    }
    const key = recordKey(origin.sourceId, plain)
    const site = first.get(key) ?? stored(plain)?.site ?? content.site
    first.set(key, site)
    if (site === content.site && !stored(own)) return
    record.content = { ...content, external_id: own, ...(content.properties && threadAt(content)) }
    record.things = declaredThings(record.content, origin)
  }
}

/** Properties in which the external id of another record stands, which is of the same site. */
const ANSWERED = ['thread', 'reply_to']

function threadAt({ properties, site }: RecordContent): Pick<RecordContent, 'properties'> {
  const told = Object.entries(properties ?? {}).map(([name, value]) =>
    ANSWERED.includes(name) && typeof value === 'string' ? [name, `${value}@${site}`] : [name, value],
  )
  return { properties: Object.fromEntries(told) }
}
