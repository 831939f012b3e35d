import { type Mapped, mapped } from '../connector.ts'
import { toRecord, withdrawal } from '../draft.ts'
import type { MappedRecord } from '../mapped-record.ts'
import { isThere, moment, number, pick, text } from '../pick.ts'
import { withoutHidden } from '../references.ts'
import {
  account,
  assignees,
  called,
  each,
  fullName,
  labels,
  milestone,
  numbered,
  repository,
  topics,
} from './things.ts'

/** `issues`: the issue as it stands after the event. */
export function mapIssue(event: string, payload: unknown): Mapped {
  const repo = fullName(payload)
  const action = text(payload, 'action')
  if (action === 'deleted') return mapped(event, [withdrawnIssue(payload, repo)])
  const moved = pick(payload, 'changes', 'new_issue')
  if (action === 'transferred' && isThere(moved)) {
    const there = pick(payload, 'changes', 'new_repository')
    const issue = issueRecord(moved, { repository: there }, text(there, 'full_name'))
    return mapped(event, [withdrawnIssue(payload, repo), issue])
  }
  return mapped(event, [issueRecord(pick(payload, 'issue'), payload, repo)])
}

/** `issue_comment`: the comment, and the issue under it, whose state it shows as well. */
export function mapIssueComment(event: string, payload: unknown): Mapped {
  const repo = fullName(payload)
  const issue = pick(payload, 'issue')
  const isPull = isThere(issue, 'pull_request')
  const id = text(payload, 'comment', 'id')
  if (!repo || !id) return mapped(event, [])
  const externalId = `comment/${repo}/${id}`
  const about = isPull ? undefined : issueRecord(issue, payload, repo)
  if (text(payload, 'action') === 'deleted') return mapped(event, [withdrawal(externalId, 'comment'), about])
  const parent = numbered(isPull ? 'pull_request' : 'issue', issue, repo)
  return mapped(event, [commentRecord(externalId, pick(payload, 'comment'), payload, parent), about])
}

/** A comment on the thing `parent`. */
export function commentRecord(
  externalId: string,
  comment: unknown,
  payload: unknown,
  parent: ReturnType<typeof numbered>,
  more: { type?: string; properties?: Record<string, unknown> } = {},
): MappedRecord {
  const body = withoutHidden(text(comment, 'body'))
  const author = account(pick(comment, 'user'))
  return toRecord({
    externalId,
    type: more.type ?? 'comment',
    title: parent && `Comment on ${parent.aliases?.[0] ?? parent.name}`,
    text: body,
    url: text(comment, 'html_url'),
    occurredAt: moment(comment, 'created_at'),
    asOf: moment(comment, 'updated_at') ?? moment(comment, 'created_at'),
    author,
    participants: called(body),
    entities: [parent, repository(pick(payload, 'repository'))],
    relations: [{ subject: parent, predicate: 'part_of', object: repository(pick(payload, 'repository')) }],
    properties: { on: parent?.name, path: text(comment, 'path'), line: number(comment, 'line'), ...more.properties },
  })
}

function withdrawnIssue(payload: unknown, repo: string | undefined): MappedRecord | undefined {
  const at = text(payload, 'issue', 'number')
  return repo && at ? withdrawal(`issue/${repo}#${at}`, 'issue') : undefined
}

function issueRecord(issue: unknown, payload: unknown, repo: string | undefined): MappedRecord | undefined {
  const own = repo ? numbered('issue', issue, repo) : undefined
  if (!own || !text(issue, 'title')) return undefined
  const body = withoutHidden(text(issue, 'body'))
  const place = repository(pick(payload, 'repository'))
  const names = labels(issue)
  const responsible = assignees(issue)
  const goal = milestone(pick(issue, 'milestone'))
  return toRecord({
    externalId: `issue/${own.name}`,
    type: 'issue',
    title: text(issue, 'title'),
    text: body,
    url: text(issue, 'html_url'),
    occurredAt: moment(issue, 'created_at'),
    asOf: moment(issue, 'updated_at'),
    author: account(pick(issue, 'user')),
    participants: [...responsible, ...called(body)],
    entities: [own, place, goal, ...topics(names)],
    relations: [
      { subject: own, predicate: 'part_of', object: place },
      { subject: own, predicate: 'part_of', object: goal },
      ...each(own, 'assigned_to', responsible),
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
  })
}
