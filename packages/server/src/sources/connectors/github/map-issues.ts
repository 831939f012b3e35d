import { githubIssuePhase } from '../phases.ts'
import { hasObject, moment, number, pick, text } from '../pick.ts'
import { mentionedPeople, withoutHtmlComments } from '../references.ts'
import { idOf, type MappedRecord, type MappingResult, relationsTo, toRecord, withdrawal } from '../to-record.ts'
import {
  account,
  assignees,
  fullName,
  gone,
  labels,
  milestone,
  numberedEntity,
  repository,
  timestamps,
  topics,
} from './entities.ts'

/** Maps `issues` to the state of the issue after the event. */
export function mapIssue(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const at = text(payload, 'issue', 'number')
  const withdrawn = repo && at ? withdrawal(`issue/${repo}#${at}`, 'issue') : undefined
  if (gone(payload)) return withdrawn
  const moved = pick(payload, 'changes', 'new_issue')
  if (text(payload, 'action') === 'transferred' && hasObject(moved)) {
    const newRepository = pick(payload, 'changes', 'new_repository')
    return [withdrawn, issueRecord(moved, { repository: newRepository }, text(newRepository, 'full_name'))]
  }
  return issueRecord(pick(payload, 'issue'), payload, repo)
}

/** Maps `issue_comment` to the comment and its issue, because the event also has the issue's state. */
export function mapIssueComment(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const issue = pick(payload, 'issue')
  const isPull = hasObject(issue, 'pull_request')
  const externalId = idOf('comment', repo, text(payload, 'comment', 'id'))
  if (!repo || !externalId) return undefined
  const parent = numberedEntity(isPull ? 'pull_request' : 'issue', issue, repo)
  const record = commentRecord(externalId, pick(payload, 'comment'), payload, parent)
  return [record, isPull ? undefined : issueRecord(issue, payload, repo)]
}

export function commentRecord(
  externalId: string | undefined,
  comment: unknown,
  payload: unknown,
  parent: ReturnType<typeof numberedEntity>,
  more: { properties?: Record<string, unknown> } = {},
): MappedRecord | undefined {
  const body = withoutHtmlComments(text(comment, 'body'))
  const place = repository(pick(payload, 'repository'))
  return toRecord({
    externalId,
    type: 'comment',
    gone: gone(payload),
    title: parent && `Comment on ${parent.aliases?.[0] ?? parent.name}`,
    text: body,
    url: text(comment, 'html_url'),
    occurredAt: moment(comment, 'created_at'),
    asOf: moment(comment, 'updated_at') ?? moment(comment, 'created_at'),
    author: account(pick(comment, 'user')),
    participants: mentionedPeople(body),
    entities: [parent, place],
    relations: [{ subject: parent, predicate: 'part_of', object: place }],
    properties: { on: parent?.name, path: text(comment, 'path'), line: number(comment, 'line'), ...more.properties },
  })
}

function issueRecord(issue: unknown, payload: unknown, repo: string | undefined): MappedRecord | undefined {
  const own = repo ? numberedEntity('issue', issue, repo) : undefined
  if (!own || !text(issue, 'title')) return undefined
  const body = withoutHtmlComments(text(issue, 'body'))
  const place = repository(pick(payload, 'repository'))
  const names = labels(issue)
  const responsible = assignees(issue)
  const goal = milestone(pick(issue, 'milestone'))
  return toRecord({
    externalId: `issue/${own.name}`,
    type: 'issue',
    title: text(issue, 'title'),
    text: body,
    ...timestamps(issue),
    author: account(pick(issue, 'user')),
    participants: [...responsible, ...mentionedPeople(body)],
    entities: [own, place, goal, ...topics(names)],
    relations: [
      { subject: own, predicate: 'part_of', object: place },
      { subject: own, predicate: 'part_of', object: goal },
      ...relationsTo(own, 'assigned_to', responsible),
    ],
    properties: {
      state: text(issue, 'state'),
      state_reason: text(issue, 'state_reason'),
      labels: names,
      assignees: responsible.map(({ name }) => name),
      milestone: goal?.name,
      type: text(issue, 'type', 'name'),
      closed_at: moment(issue, 'closed_at'),
      due_on: moment(issue, 'milestone', 'due_on'),
      number: number(issue, 'number'),
    },
    phase: githubIssuePhase(text(issue, 'state'), text(issue, 'state_reason')),
    owner: responsible[0],
    due: moment(issue, 'milestone', 'due_on'),
    kind: text(issue, 'type', 'name'),
  })
}

/** Maps `discussion` to the state of the discussion after the event. */
export function mapDiscussion(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const discussion = pick(payload, 'discussion')
  const at = text(discussion, 'number')
  if (!repo || !at) return undefined
  const withdrawn = withdrawal(`discussion/${repo}#${at}`, 'discussion')
  if (gone(payload)) return withdrawn
  const moved = pick(payload, 'changes', 'new_discussion')
  if (text(payload, 'action') === 'transferred' && hasObject(moved)) {
    const newRepository = pick(payload, 'changes', 'new_repository')
    return [withdrawn, discussionRecord(moved, { repository: newRepository }, text(newRepository, 'full_name') ?? repo)]
  }
  return discussionRecord(discussion, payload, repo)
}

/** Maps `discussion_comment` to the comment and its discussion. */
export function mapDiscussionComment(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const comment = pick(payload, 'comment')
  const externalId = idOf('discussion_comment', repo, text(comment, 'id'))
  if (!repo || !externalId) return undefined
  const discussion = pick(payload, 'discussion')
  const parent = numberedEntity('discussion', discussion, repo)
  const answered = text(comment, 'parent_id')
  const properties = { thread: answered && `discussion_comment/${repo}/${answered}` }
  const record = commentRecord(externalId, comment, payload, parent, { properties })
  return [record, discussionRecord(discussion, payload, repo)]
}

function discussionRecord(discussion: unknown, payload: unknown, repo: string): MappedRecord | undefined {
  const own = numberedEntity('discussion', discussion, repo)
  if (!own || !text(discussion, 'title')) return undefined
  const body = withoutHtmlComments(text(discussion, 'body'))
  const names = labels(discussion)
  const place = repository(pick(payload, 'repository'))
  const answerer = account(pick(discussion, 'answer_chosen_by'))
  return toRecord({
    externalId: `discussion/${own.name}`,
    type: 'discussion',
    title: text(discussion, 'title'),
    text: body,
    ...timestamps(discussion),
    author: account(pick(discussion, 'user')),
    participants: [answerer, ...mentionedPeople(body)],
    entities: [own, place, ...topics(names)],
    relations: [{ subject: own, predicate: 'part_of', object: place }],
    properties: {
      state: text(discussion, 'answer_chosen_at') ? 'answered' : text(discussion, 'state'),
      category: text(discussion, 'category', 'name'),
      labels: names,
      answered_at: moment(discussion, 'answer_chosen_at'),
      number: number(discussion, 'number'),
    },
  })
}
