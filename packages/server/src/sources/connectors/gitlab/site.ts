import type { Delivered } from '../connector.ts'
import type { MappedRecord } from '../draft.ts'
import { text } from '../pick.ts'
import { atSite, firstHost, hostOf } from '../site.ts'

const ADDRESSES = [
  ['project', 'web_url'],
  ['object_attributes', 'target', 'web_url'],
  ['repository', 'homepage'],
  ['object_attributes', 'url'],
  ['project', 'homepage'],
  ['group', 'web_url'],
]

/** Records as one instance tells them: `gitlab.com`, or a server of a company's own. */
export function atGitlab(records: readonly MappedRecord[], { headers, body, settings }: Delivered): MappedRecord[] {
  const host = firstHost(body, ADDRESSES) ?? hostOf(headers['x-gitlab-instance'])
  return atSite(records, text(settings.config, 'site') ?? host, ({ id, login, key }) => {
    return Boolean(id ?? login) || /[#!]/.test(String(key ?? ''))
  })
}
