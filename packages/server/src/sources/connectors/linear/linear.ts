import { TRACKER_ENTITIES } from '@cairnstore/contract'
import { type Connector, ignored, isHmac, mapped } from '../connector.ts'
import { number, pick, text } from '../pick.ts'
import { assignLinearSite } from './entities.ts'
import { isLinearType, linearRecord } from './linear-record.ts'
import { pullLinear } from './pull-linear.ts'

function entitiesProblem({ include }: Readonly<Record<string, unknown>>): boolean {
  const known: readonly unknown[] = TRACKER_ENTITIES
  return include !== undefined && !(Array.isArray(include) && include.every((entity) => known.includes(entity)))
}

/** Maximum age of a delivery in milliseconds. An older one may be a replay; Linear recommends this limit. */
const AGE_MS_MAX = 60_000

/** Connector for Linear's webhooks and its MCP server. */
export const linear: Connector = {
  providers: ['linear'],
  product: 'Linear',
  forms: ['json'],
  signature: {
    header: 'linear-signature',
    verify: (secret, headers, body, nowMs) =>
      isHmac(secret, body, headers['linear-signature']) && isFresh(Buffer.from(body).toString('utf8'), nowMs),
  },
  eventId: ({ headers }) => headers['linear-delivery'],
  map: ({ body, settings }) => {
    const type = text(body, 'type') ?? 'unknown'
    const action = text(body, 'action')
    const event = action ? `${type}.${action}` : type
    if (!isLinearType(type)) return ignored(event, IGNORED_TYPES.has(type) ? 'no_knowledge' : 'unknown_event')
    const record = linearRecord(type, pick(body, 'data'), body)
    return mapped(event, record, (records) => assignLinearSite(records, settings, text(body, 'url')))
  },
  configProblem: (config) =>
    entitiesProblem(config) ? 'include must name some of teams, users, projects, issues and cycles.' : undefined,
  pull: pullLinear,
}

/** Types whose content comes with another item, or that have no content to store. */
const IGNORED_TYPES = new Set([
  ...['IssueLabel', 'IssueAttachment', 'IssueSLA', 'OAuthApp', 'OAuthAuthorization', 'InitiativeLabel'],
  ...['AppUserNotification', 'PermissionChange', 'ProjectLabel', 'AgentSessionEvent', 'AuditEntry'],
])

/** Returns true if the sending time in the signed body is recent. A body without a time is accepted. */
function isFresh(body: string, nowMs: number): boolean {
  try {
    const sentAt = number(JSON.parse(body), 'webhookTimestamp')
    return sentAt === undefined || Math.abs(nowMs - sentAt) <= AGE_MS_MAX
  } catch {
    return false
  }
}
