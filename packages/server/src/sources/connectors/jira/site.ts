import type { Delivered } from '../connector.ts'
import type { MappedRecord } from '../draft.ts'
import { pick, text } from '../pick.ts'
import { atSite } from '../site.ts'
import { siteOf } from './things.ts'

/** Parts of events that lead to the site's interface. */
const PARTS = ['issue', 'comment', 'project', 'sprint', 'version', 'worklog', 'attachment', 'user']

/**
 * Records as one site tells them. People of the cloud have one account on all of its sites; what is told without any
 * address, as links are, is of the site that the source is configured with.
 */
export function atJira(records: readonly MappedRecord[], { body, settings }: Delivered): MappedRecord[] {
  const address = PARTS.map((part) => siteOf(pick(body, part))).find((one) => one !== undefined)
  const site = text(settings.config, 'site') ?? address?.replace(/^https?:\/\//i, '').toLowerCase()
  return atSite(records, site, ({ id, login, key }) => Boolean(login ?? key) || /^\d+$/.test(String(id ?? '')))
}
