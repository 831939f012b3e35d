import { type Told, thing, toRecord } from '../draft.ts'
import { list, moment, pick, present, text } from '../pick.ts'
import { account, numbered, repository } from './things.ts'

/** `emoji`: what someone thought of an issue, a merge request or a comment. Taking it back withdraws it. */
export function mapEmoji(payload: unknown): Told {
  const award = pick(payload, 'object_attributes')
  const id = text(award, 'id')
  const name = text(award, 'name')
  if (!id || !name) return undefined
  const at = moment(award, 'updated_at')
  const isRevoked = text(payload, 'event_type') === 'revoke' || text(award, 'action') === 'revoke'
  const note = text(award, 'awardable_type') === 'Note' ? text(award, 'awardable_id') : undefined
  return toRecord({
    externalId: `reaction/${id}`,
    type: 'reaction',
    gone: isRevoked && { asOf: at },
    text: `Reacted with :${name}:`,
    url: text(award, 'awarded_on_url'),
    occurredAt: moment(award, 'created_at'),
    asOf: at,
    author: account(pick(payload, 'user')),
    entities: [
      numbered('issue', pick(payload, 'issue'), payload),
      numbered('merge_request', pick(payload, 'merge_request'), payload),
      repository(payload),
    ],
    properties: { emoji: name, reply_to: note && `note/${note}` },
  })
}

const PROJECT_IN_URL = /^https?:\/\/[^/]+\/(.+?)\/-\/security\//

/** `vulnerability`: what a scan has found, as it stands. */
export function mapVulnerability(payload: unknown): Told {
  const item = pick(payload, 'object_attributes')
  const url = text(item, 'url')
  const title = text(item, 'title')
  if (!url || !title) return undefined
  const project = PROJECT_IN_URL.exec(url)?.[1]
  const names = present(list(item, 'identifiers').map((one) => text(one, 'name')))
  const dependency = text(item, 'location', 'dependency', 'package', 'name')
  const cve = names.find((name) => /^(?:CVE|GHSA)-/i.test(name))
  return toRecord({
    externalId: `vulnerability/${url}`,
    type: 'alert',
    title,
    text: present([names.join(', ') || undefined, text(item, 'dismissal_reason')]).join('\n'),
    url,
    occurredAt: moment(item, 'created_at'),
    asOf: moment(item, 'updated_at'),
    entities: [
      thing('repository', project, { url: project && url.slice(0, url.indexOf('/-/')) }),
      thing('package', dependency),
      thing('vulnerability', cve, { key: cve }),
    ],
    properties: {
      state: text(item, 'state'),
      severity: text(item, 'severity'),
      package: dependency,
      file: text(item, 'location', 'file'),
      tool: text(item, 'report_type'),
      issues: present(list(item, 'issues').map((issue) => text(issue, 'url'))),
    },
  })
}
