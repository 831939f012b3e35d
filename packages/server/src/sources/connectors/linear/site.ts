import type { MappedRecord, Settings } from '../draft.ts'
import { text } from '../pick.ts'
import { atSite } from '../site.ts'

const ORGANISATION = /^https?:\/\/(linear\.app\/(?!issue\/)[^/\s?#]{1,100})\/[a-z]/i

/**
 * Records as one organisation tells them: keys of issues are its own, and all other ids are one of a kind.
 * @param url of the delivery, for what does not tell its own
 */
export function atLinear(records: readonly MappedRecord[], { config }: Pick<Settings, 'config'>, url?: string) {
  return records.flatMap((record) => {
    const home = [record.url, url].map((one) => ORGANISATION.exec(one ?? '')?.[1]).find((one) => one !== undefined)
    const { site: _, ...told } = atSite([record], text(config, 'site') ?? home?.toLowerCase(), ({ key }) =>
      Boolean(key),
    )[0]!
    return told
  })
}
