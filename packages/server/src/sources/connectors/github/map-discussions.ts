import { type Mapped, mapped } from '../connector.ts'
import { toRecord, withdrawal } from '../draft.ts'
import type { MappedRecord } from '../mapped-record.ts'
import { isThere, moment, number, pick, text } from '../pick.ts'
import { withoutHidden } from '../references.ts'
import { commentRecord } from './map-issues.ts'
import { account, called, fullName, labels, numbered, repository, topics } from './things.ts'

/** `discussion`: the discussion as it stands after the event. */
export function mapDiscussion(event: string, payload: unknown): Mapped {
  const repo = fullName(payload)
  const discussion = pick(payload, 'discussion')
  const at = text(discussion, 'number')
  if (!repo || !at) return mapped(event, [])
  if (text(payload, 'action') === 'deleted')
    return mapped(event, [withdrawal(`discussion/${repo}#${at}`, 'discussion')])
  const moved = pick(payload, 'changes', 'new_discussion')
  if (text(payload, 'action') === 'transferred' && isThere(moved)) {
    const there = pick(payload, 'changes', 'new_repository')
    const gone = withdrawal(`discussion/${repo}#${at}`, 'discussion')
    return mapped(event, [gone, discussionRecord(moved, { repository: there }, text(there, 'full_name') ?? repo)])
  }
  return mapped(event, [discussionRecord(discussion, payload, repo)])
}

/** `discussion_comment`: the comment, and the discussion that it stands in. */
export function mapDiscussionComment(event: string, payload: unknown): Mapped {
  const repo = fullName(payload)
  const id = text(payload, 'comment', 'id')
  if (!repo || !id) return mapped(event, [])
  const externalId = `discussion_comment/${repo}/${id}`
  const discussion = pick(payload, 'discussion')
  const about = discussionRecord(discussion, payload, repo)
  if (text(payload, 'action') === 'deleted') return mapped(event, [withdrawal(externalId, 'comment'), about])
  const parent = numbered('discussion', discussion, repo)
  const answered = text(payload, 'comment', 'parent_id')
  const properties = { thread: answered && `discussion_comment/${repo}/${answered}` }
  return mapped(event, [commentRecord(externalId, pick(payload, 'comment'), payload, parent, { properties }), about])
}

function discussionRecord(discussion: unknown, payload: unknown, repo: string): MappedRecord | undefined {
  const own = numbered('discussion', discussion, repo)
  if (!own || !text(discussion, 'title')) return undefined
  const body = withoutHidden(text(discussion, 'body'))
  const names = labels(discussion)
  const place = repository(pick(payload, 'repository'))
  const answerer = account(pick(discussion, 'answer_chosen_by'))
  return toRecord({
    externalId: `discussion/${own.name}`,
    type: 'discussion',
    title: text(discussion, 'title'),
    text: body,
    url: text(discussion, 'html_url'),
    occurredAt: moment(discussion, 'created_at'),
    asOf: moment(discussion, 'updated_at'),
    author: account(pick(discussion, 'user')),
    participants: [answerer, ...called(body)],
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
