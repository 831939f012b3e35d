import { TRACKER_ENTITIES } from '@cairn/contract'
import { type Connector, ignored, mapped } from '../connector.ts'
import { withdrawal } from '../draft.ts'
import { isHmac } from '../hmac.ts'
import type { MappedRecord } from '../mapped-record.ts'
import { moment, number, pick, text } from '../pick.ts'
import { attachmentRecord, customerRecord, needRecord } from './map-customers.ts'
import { commentRecord, issueRecord } from './map-issues.ts'
import { cycleRecord, namedRecord, projectRecord, reactionRecord, updateRecord, userRecord } from './map-planning.ts'
import { pullLinear } from './pull-linear.ts'
import { atLinear } from './site.ts'
import { issueKey } from './things.ts'

interface Entity {
  /** What its records' external ids begin with, and their type. */
  id: string
  type: string
  record(held: unknown, payload: unknown): MappedRecord | undefined
}

/** The types of entities that carry knowledge. */
const ENTITIES: Record<string, Entity> = {
  Issue: { id: 'issue', type: 'issue', record: issueRecord },
  Comment: { id: 'comment', type: 'comment', record: commentRecord },
  Project: { id: 'project', type: 'project', record: projectRecord },
  ProjectUpdate: { id: 'update', type: 'project_update', record: updateRecord },
  InitiativeUpdate: { id: 'update', type: 'project_update', record: updateRecord },
  Cycle: { id: 'cycle', type: 'cycle', record: cycleRecord },
  User: { id: 'user', type: 'person', record: userRecord },
  Reaction: { id: 'reaction', type: 'reaction', record: reactionRecord },
  Customer: { id: 'customer', type: 'customer', record: customerRecord },
  CustomerNeed: { id: 'customer_need', type: 'customer_request', record: needRecord },
  Attachment: { id: 'attachment', type: 'attachment', record: attachmentRecord },
  Document: named('document'),
  Release: named('release'),
  ReleaseNote: named('release_note'),
  Initiative: named('initiative'),
  ProjectMilestone: named('milestone'),
  Team: named('team'),
}

function named(type: string): Entity {
  return { id: type, type, record: (held, payload) => namedRecord(type, held, payload) }
}

function entitiesProblem({ include }: Readonly<Record<string, unknown>>): boolean {
  const known: readonly unknown[] = TRACKER_ENTITIES
  return include !== undefined && !(Array.isArray(include) && include.every((entity) => known.includes(entity)))
}

/** What is older may be a recording that is played again: Linear's own advice. */
const AGE_MS_MAX = 60_000

/** Linear's webhooks. */
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
    const entity = Object.hasOwn(ENTITIES, type) ? ENTITIES[type] : undefined
    if (!entity) return ignored(event, KNOWN_ELSEWHERE.has(type) ? 'no_knowledge' : 'unknown_event')
    const held = pick(body, 'data')
    // Without an id an issue is known as its server of tools knows it, by its key.
    const id = text(held, 'id') ?? (type === 'Issue' ? issueKey(held, text(body, 'url')) : undefined)
    if (!id) return mapped(event, [])
    if (action === 'remove') {
      const at = moment(held, 'archivedAt') ?? moment(body, 'createdAt')
      return mapped(event, [withdrawal(`${entity.id}/${id}`, entity.type, at)])
    }
    const told = mapped(event, [entity.record(held, body)])
    return { ...told, records: atLinear(told.records, settings, text(body, 'url')) }
  },
  configProblem: (config) =>
    entitiesProblem(config) ? 'include must name some of teams, users, projects, issues and cycles.' : undefined,
  pull: pullLinear,
}

/** Types whose content comes with what they stand on, or that are Linear's own business. */
const KNOWN_ELSEWHERE = new Set([
  ...['IssueLabel', 'IssueAttachment', 'IssueSLA', 'OAuthApp', 'OAuthAuthorization', 'InitiativeLabel'],
  ...['AppUserNotification', 'PermissionChange', 'ProjectLabel', 'AgentSessionEvent', 'AuditEntry'],
])

/** The moment of sending stands in the signed body; a body without one is as old as its signature. */
function isFresh(body: string, nowMs: number): boolean {
  try {
    const sentAt = number(JSON.parse(body), 'webhookTimestamp')
    return sentAt === undefined || Math.abs(nowMs - sentAt) <= AGE_MS_MAX
  } catch {
    return false
  }
}
