import type { Delivered } from '../connector.ts'
import type { MappedRecord } from '../draft.ts'
import { text } from '../pick.ts'
import { atSite } from '../site.ts'

/**
 * Records as one workspace tells them, or the organisation of several workspaces, whose people have one id in all of
 * them. External ids name the workspace already.
 */
export function atSlack(records: readonly MappedRecord[], { body, settings }: Delivered): MappedRecord[] {
  const organisation = text(body, 'enterprise_id') ?? text(body, 'authorizations', 0, 'enterprise_id')
  const site = text(settings.config, 'site') ?? organisation ?? text(body, 'team_id') ?? settings.accountId ?? undefined
  return atSite(records, site, ({ id, login }) => Boolean(id ?? login)).map(({ site: _, ...record }) => record)
}
