import type { Delivered } from '../connector.ts'
import type { MappedRecord } from '../draft.ts'
import { text } from '../pick.ts'
import { atSite, firstHost } from '../site.ts'

/** Where addresses stand that lead to the host, those of every event about a repository first. */
const ADDRESSES = [
  ...['repository', 'issue', 'pull_request', 'sender'].map((part) => [part, 'html_url']),
  ...['repository', 'organization', 'sender'].map((part) => [part, 'url']),
]

/** Records as one host tells them: `github.com`, or a server of a company's own. */
export function atGithub(
  records: readonly MappedRecord[],
  { headers, body, settings }: Pick<Delivered, 'headers' | 'body' | 'settings'>,
): MappedRecord[] {
  const host = firstHost(body, ADDRESSES) ?? headers['x-github-enterprise-host']
  const site = text(settings.config, 'site') ?? host?.replace(/^api\.(?=github\.com$|.*\.ghe\.com$)/, '')
  return atSite(records, site, ({ id, login, key }) => Boolean(id ?? login) || String(key ?? '').includes('#'))
}
