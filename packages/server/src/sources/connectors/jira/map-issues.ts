import { jiraPhase } from '../phases.ts'
import { address, hasObject, list, moment, number, pick, present, text } from '../pick.ts'
import {
  type Entity,
  entity,
  idOf,
  type MappedRecord,
  type MappingResult,
  type RecordDraft,
  type RelationDraft,
  toRecord,
  withdrawal,
} from '../to-record.ts'
import { plainText } from './plain-text.ts'

/** Maps `jira:issue_*` to the state of the issue after the event, and to its comments if the event has them. */
export function mapIssue(payload: unknown, event: string): MappingResult {
  const issue = pick(payload, 'issue')
  const id = text(issue, 'id')
  if (!id) return undefined
  const at = moment(payload, 'timestamp')
  if (event.startsWith('jira:issue_deleted')) return withdrawal(`issue/${id}`, 'issue', at)
  const eventComments = commentsIn(payload, at)
  const eventCommentIds = new Set(eventComments.map((record) => record?.external_id))
  // A Jira server also sends earlier comments, up to its own limit.
  const earlierComments = list(issue, 'fields', 'comment', 'comments').map((comment) => commentRecord(comment, payload))
  return [
    issueRecord(issue, at),
    ...earlierComments.filter((record) => record && !eventCommentIds.has(record.external_id)),
    ...eventComments,
  ]
}

function commentsIn(payload: unknown, at: string | undefined): (MappedRecord | undefined)[] {
  const isDeletion = text(payload, 'issue_event_type_name') === 'issue_comment_deleted'
  const gone = list(payload, 'changelog', 'items').flatMap((item) => {
    const isComment = text(item, 'field')?.toLowerCase() === 'comment'
    const id = isComment && !text(item, 'to') ? text(item, 'from') : undefined
    return id ? [withdrawal(`comment/${id}`, 'comment', at)] : []
  })
  const comment = pick(payload, 'comment')
  if (!hasObject(comment)) return gone
  const id = text(comment, 'id')
  if (isDeletion) return id ? [withdrawal(`comment/${id}`, 'comment', at)] : gone
  return [...gone, commentRecord(comment, payload)]
}

/** Maps `comment_*`: a comment on an issue. */
export function mapComment(payload: unknown, event: string): MappingResult {
  const gone = event === 'comment_deleted' && { asOf: moment(payload, 'timestamp') }
  return commentRecord(pick(payload, 'comment'), payload, gone)
}

function commentRecord(
  comment: unknown,
  payload: unknown,
  gone: RecordDraft['gone'] = false,
): MappedRecord | undefined {
  const id = text(comment, 'id')
  const issue = pick(payload, 'issue')
  const about = issueEntity(issue)
  const body = plainText(pick(comment, 'body'))
  const link = about?.identifiers?.url
  return toRecord({
    externalId: idOf('comment', id),
    type: 'comment',
    gone,
    title: about && `Comment on ${about.aliases?.[0] ?? about.name}`,
    text: body.text,
    url: typeof link === 'string' ? `${link}?focusedCommentId=${id}` : undefined,
    occurredAt: moment(comment, 'created'),
    asOf: moment(comment, 'updated') ?? moment(comment, 'created'),
    author: account(pick(comment, 'author')),
    participants: body.mentions.map(mentioned),
    entities: [about, project(pick(issue, 'fields', 'project'))],
    relations: [{ subject: about, predicate: 'part_of', object: project(pick(issue, 'fields', 'project')) }],
    properties: { on: about?.name, reply_to: text(comment, 'parentId') && `comment/${text(comment, 'parentId')}` },
  })
}

function issueRecord(issue: unknown, sentAt: string | undefined): MappedRecord | undefined {
  const own = issueEntity(issue)
  const fields = pick(issue, 'fields')
  const title = text(fields, 'summary')
  if (!own || !title) return undefined
  const description = plainText(pick(fields, 'description'))
  const assignee = account(pick(fields, 'assignee'))
  const reporter = account(pick(fields, 'reporter'))
  const creator = account(pick(fields, 'creator'))
  const home = project(pick(fields, 'project'))
  const parent = issueEntity(pick(fields, 'parent'))
  const sprint = sprintOf(fields)
  const components = list(fields, 'components').map((one) => entity('component', text(one, 'name')))
  const versions = list(fields, 'fixVersions').map((one) =>
    entity('milestone', text(one, 'name'), { id: text(one, 'id') }),
  )
  const links = linksOf(own, fields)
  return toRecord({
    externalId: `issue/${text(issue, 'id') ?? own.name}`,
    type: 'issue',
    title,
    text: description.text,
    url: siteOf(issue) && `${siteOf(issue)}/browse/${own.name}`,
    occurredAt: moment(fields, 'created') ?? sentAt,
    asOf: moment(fields, 'updated') ?? sentAt,
    author: reporter ?? creator,
    participants: [assignee, creator, ...description.mentions.map(mentioned)],
    entities: [own, home, parent, sprint, ...components, ...versions],
    relations: [
      { subject: own, predicate: 'assigned_to', object: assignee },
      ...[home, parent, sprint, ...versions].map((object) => ({ subject: own, predicate: 'part_of', object })),
      ...list(fields, 'subtasks').map((sub) => ({ subject: issueEntity(sub), predicate: 'part_of', object: own })),
      ...links,
    ],
    properties: {
      key: own.name,
      state: text(fields, 'status', 'name'),
      state_type: text(fields, 'status', 'statusCategory', 'key'),
      resolution: text(fields, 'resolution', 'name'),
      type: text(fields, 'issuetype', 'name'),
      priority: text(fields, 'priority', 'name'),
      labels: present(list(fields, 'labels').map((label) => text(label))),
      components: present(components.map((one) => one?.name)),
      fix_versions: present(versions.map((one) => one?.name)),
      assignee: assignee?.name,
      sprint: sprint?.name,
      due_date: text(fields, 'duedate'),
      resolved_at: moment(fields, 'resolutiondate'),
      estimate_seconds: number(fields, 'timeoriginalestimate'),
      files: present(list(fields, 'attachment').map((file) => text(file, 'filename'))),
      environment: plainText(pick(fields, 'environment')).text,
    },
    phase: jiraPhase(text(fields, 'status', 'statusCategory', 'key'), text(fields, 'resolution', 'name')),
    owner: assignee,
    due: text(fields, 'duedate'),
    kind: text(fields, 'issuetype', 'name'),
  })
}

/** Matches a sprint as a Jira server prints it in a custom field. */
const PRINTED_SPRINT = /greenhopper\.service\.sprint\.Sprint@?\w*\[.*?\bid=(\d+).*?\bname=([^,\]]+)/

const PRINTED_CHARS_MAX = 2_048

function sprintOf(fields: unknown): Entity | undefined {
  if (fields === null || typeof fields !== 'object') return undefined
  for (const [name, value] of Object.entries(fields)) {
    if (!name.startsWith('customfield_') || !Array.isArray(value)) continue
    const last: unknown = value.at(-1)
    const printed = typeof last === 'string' ? PRINTED_SPRINT.exec(last.slice(0, PRINTED_CHARS_MAX)) : null
    if (printed) return entity('cycle', printed[2], { id: printed[1] })
    if (pick(last, 'boardId') !== undefined && pick(last, 'state') !== undefined) {
      return entity('cycle', text(last, 'name'), { id: text(last, 'id') })
    }
  }
  return undefined
}

function linksOf(own: Entity, fields: unknown): RelationDraft[] {
  return list(fields, 'issuelinks').map((link) => {
    const inward = issueEntity(pick(link, 'inwardIssue'))
    const other = inward ?? issueEntity(pick(link, 'outwardIssue'))
    const words = text(link, 'type', 'outward') ?? text(link, 'type', 'name') ?? 'relates to'
    const predicate = predicateOf(words)
    return inward ? { subject: other, predicate, object: own } : { subject: own, predicate, object: other }
  })
}

/** Maps `issuelink_*`: a link between two issues. The event has only their ids. */
export function mapLink(payload: unknown, event: string): MappingResult {
  const link = pick(payload, 'issueLink')
  const [from, to] = [text(link, 'sourceIssueId'), text(link, 'destinationIssueId')]
  const kind = pick(link, 'issueLinkType')
  const words = text(kind, 'outwardName') ?? text(kind, 'name') ?? 'relates to'
  if (!from || !to) return undefined
  const at = moment(payload, 'timestamp')
  const [subject, object] = [from, to].map((id) => entity('issue', id, { id }))
  const isPart = pick(kind, 'isSubTaskLinkType') === true
  const relation = isPart
    ? { subject: object, predicate: 'part_of', object: subject }
    : { subject, predicate: predicateOf(words), object }
  return toRecord({
    externalId: `issue_link/${text(link, 'id') ?? [from, text(kind, 'id') ?? words, to].join('/')}`,
    type: 'issue_link',
    gone: event === 'issuelink_deleted' && { asOf: at },
    occurredAt: at,
    asOf: at,
    entities: [subject, object],
    relations: [{ ...relation, validFrom: at }],
    properties: { kind: text(kind, 'name') },
  })
}

function predicateOf(words: string): string {
  return words.toLowerCase().trim().replace(/\W+/g, '_')
}

/** Maps `attachment_*`: a file, by its name. The event does not name its issue. */
export function mapAttachment(payload: unknown, event: string): MappingResult {
  const file = pick(payload, 'attachment')
  const at = moment(payload, 'timestamp')
  return toRecord({
    externalId: idOf('attachment', text(file, 'id')),
    type: 'attachment',
    gone: event === 'attachment_deleted' && { asOf: at },
    title: text(file, 'filename'),
    url: text(file, 'content') ?? text(file, 'self'),
    occurredAt: moment(file, 'created') ?? at,
    asOf: at,
    author: account(pick(file, 'author')),
    properties: { media_type: text(file, 'mimeType'), size: number(file, 'size') },
  })
}

/** Returns the person of an account. Jira Cloud identifies people by account id, a Jira server by user name. */
export function account(user: unknown): Entity | undefined {
  const login = text(user, 'name')
  const id = text(user, 'accountId')
  return entity(
    'person',
    text(user, 'displayName') ?? login ?? id,
    { id, login, email: address(user, 'emailAddress') },
    { aliases: [login === id ? undefined : login] },
  )
}

/** Returns a mentioned person. Account ids of Jira Cloud contain digits and colons; user names of a server do not. */
function mentioned({ id, name }: { id: string; name: string | undefined }): Entity | undefined {
  const isAccount = /^[\w-]*\d[\w:-]{15,}$/.test(id)
  return entity('person', name ?? id, isAccount ? { id } : { login: id })
}

/** Returns the base URL of the site from an item's `self` link. */
export function siteOf(item: unknown): string | undefined {
  const self = text(item, 'self')
  const rest = self?.search(/\/rest\//) ?? -1
  return self && rest > 0 ? self.slice(0, rest) : undefined
}

/** Returns an issue as an entity, named by its key. */
function issueEntity(issue: unknown): Entity | undefined {
  const key = text(issue, 'key')
  const site = siteOf(issue)
  return entity(
    'issue',
    key,
    { key, id: text(issue, 'id'), url: site && key && `${site}/browse/${key}` },
    { aliases: [text(issue, 'fields', 'summary')] },
  )
}

export function project(item: unknown): Entity | undefined {
  const key = text(item, 'key')
  const site = siteOf(item)
  return entity(
    'project',
    text(item, 'name') ?? key,
    { id: text(item, 'id'), url: site && key && `${site}/browse/${key}` },
    { aliases: [key] },
  )
}
