import { gitlabIssuePhase, requestPhase } from '../phases.ts'
import { list, moment, number, pageUrl, pick, present, text } from '../pick.ts'
import { branchIssue, closedIssues, mentionedPeople, withoutHtmlComments } from '../references.ts'
import { type Entity, entity, idOf, type MappingResult, relationsTo, toRecord } from '../to-record.ts'
import {
  account,
  authorOf,
  committer,
  labels,
  numberedEntity,
  personWithId,
  projectPath,
  referenceContext,
  repository,
  stamps,
} from './entities.ts'

/** Maps issues, work items and incidents to their state after the event. */
export function mapIssue(payload: unknown): MappingResult {
  const item = pick(payload, 'object_attributes')
  const own = numberedEntity('issue', item, payload)
  if (!own) return undefined
  const responsible = assignees(payload, item)
  const body = withoutHtmlComments(text(item, 'description'))
  const goal = milestone(payload)
  return toRecord({
    externalId: `issue/${own.name}`,
    type: 'issue',
    title: text(item, 'title'),
    text: body,
    ...stamps(item),
    author: authorOf(payload),
    participants: [...responsible, ...mentionedPeople(body)],
    entities: [own, repository(payload), goal],
    relations: [
      { subject: own, predicate: 'part_of', object: repository(payload) },
      { subject: own, predicate: 'part_of', object: goal },
      ...relationsTo(own, 'assigned_to', responsible),
    ],
    properties: {
      ...stateOf(payload, item, responsible),
      due_date: text(item, 'due_date'),
      weight: number(item, 'weight'),
      severity: text(item, 'severity'),
      type: text(item, 'type') ?? text(item, 'issue_type'),
      milestone: goal?.name,
    },
    phase: gitlabIssuePhase(text(item, 'state'), text(item, 'status', 'category')),
    owner: responsible[0],
    due: text(item, 'due_date'),
    kind: text(item, 'type') ?? text(item, 'issue_type'),
  })
}

const REVIEWED = new Set(['approved', 'approval'])

/** Maps merge requests to their state after the event. */
export function mapMergeRequest(payload: unknown): MappingResult {
  const item = pick(payload, 'object_attributes')
  const own = numberedEntity('merge_request', item, payload)
  if (!own) return undefined
  const responsible = assignees(payload, item)
  const reviewers = present([
    ...list(payload, 'reviewers').map(account),
    ...list(item, 'reviewer_ids').map((id) => personWithId(payload, text(id))),
  ])
  const body = withoutHtmlComments(text(item, 'description'))
  const branch = text(item, 'source_branch')
  const closes = closedIssues(body, referenceContext(payload))
  const reviewed = { predicate: 'reviewed', object: own, validFrom: moment(item, 'updated_at') }
  const hasReviewed = REVIEWED.has(text(item, 'action') ?? '')
  return toRecord({
    externalId: `merge_request/${own.name}`,
    type: 'merge_request',
    title: text(item, 'title'),
    text: body,
    ...stamps(item),
    author: authorOf(payload),
    participants: [
      ...responsible,
      ...reviewers,
      ...mentionedPeople(body),
      committer(pick(item, 'last_commit', 'author')),
    ],
    entities: [own, repository(payload), ...closes, branchIssue(branch), milestone(payload)],
    relations: [
      { subject: own, predicate: 'part_of', object: repository(payload) },
      ...relationsTo(own, 'assigned_to', responsible),
      ...relationsTo(own, 'review_requested_from', reviewers),
      ...relationsTo(own, 'closes', closes),
      { subject: hasReviewed ? account(pick(payload, 'user')) : undefined, ...reviewed },
    ],
    properties: {
      ...stateOf(payload, item, responsible),
      reviewers: reviewers.map(({ name }) => name),
      draft: pick(item, 'draft') === true || pick(item, 'work_in_progress') === true ? true : undefined,
      branch,
      base: text(item, 'target_branch'),
      sha: text(item, 'last_commit', 'id'),
      merge_commit_sha: text(item, 'merge_commit_sha'),
      milestone: milestone(payload)?.name,
    },
    phase: requestPhase(text(item, 'state'), false),
    owner: responsible[0],
  })
}

/** Maps comments on an issue, a merge request, a commit or a snippet. */
export function mapNote(payload: unknown): MappingResult {
  const note = pick(payload, 'object_attributes')
  const parent = parentOf(payload, pageUrl(note, 'url'))
  const body = withoutHtmlComments(text(note, 'note') ?? text(note, 'description'))
  const discussion = text(note, 'discussion_id')
  return toRecord({
    externalId: idOf('note', text(note, 'id')),
    type: 'comment',
    gone: text(note, 'action') === 'delete' && {},
    title: parent && `Comment on ${parent.aliases?.[0] ?? parent.name}`,
    text: body,
    ...stamps(note),
    author: authorOf(payload),
    participants: mentionedPeople(body),
    entities: [parent, repository(payload)],
    relations: [{ subject: parent, predicate: 'part_of', object: repository(payload) }],
    properties: {
      on: parent?.name,
      thread: discussion && `discussion/${discussion}`,
      sha: text(note, 'commit_id'),
      path: text(note, 'position', 'new_path') ?? text(note, 'st_diff', 'new_path'),
      line: number(note, 'position', 'new_line'),
      system: pick(note, 'system') === true ? true : undefined,
    },
  })
}

const SHORT_SHA_CHARS = 8

function parentOf(payload: unknown, url: string | undefined): Entity | undefined {
  const issue = pick(payload, 'issue')
  if (issue) return numberedEntity('issue', issue, payload, url)
  const request = pick(payload, 'merge_request')
  if (request) return numberedEntity('merge_request', request, payload, url)
  const sha = text(payload, 'commit', 'id')
  if (sha) {
    const name = `${projectPath(payload) ?? 'commit'}@${sha.slice(0, SHORT_SHA_CHARS)}`
    return entity('commit', name, { url: text(payload, 'commit', 'url'), sha })
  }
  const snippet = pick(payload, 'snippet')
  return entity('snippet', text(snippet, 'title'), { url: text(snippet, 'url') ?? url })
}

function stateOf(payload: unknown, item: unknown, responsible: Entity[]): Record<string, unknown> {
  return {
    state: text(item, 'state')
      ?.trim()
      .replace(/^opened$/, 'open'),
    labels: labels(payload),
    assignees: responsible.map(({ name }) => name),
    number: number(item, 'iid'),
    closed_at: moment(item, 'closed_at'),
    confidential: pick(item, 'confidential') === true ? true : undefined,
  }
}

function assignees(payload: unknown, item: unknown): Entity[] {
  const shown = present([...list(payload, 'assignees').map(account), account(pick(payload, 'assignee'))])
  if (shown.length > 0) return shown
  const ids = [...list(item, 'assignee_ids'), pick(item, 'assignee_id')].map((id) => text(id))
  return present([...new Set(present(ids))].map((id) => personWithId(payload, id)))
}

function milestone(payload: unknown): Entity | undefined {
  const item = pick(payload, 'milestone') ?? pick(payload, 'object_attributes', 'milestone')
  return entity('milestone', text(item, 'title'), { id: text(item, 'id') })
}
