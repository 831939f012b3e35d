import { idOf, type MappedRecord, type MappingResult, toRecord, withdrawal } from '../draft.ts'
import { isThere, moment, number, pick, text } from '../pick.ts'
import { withoutHidden } from '../references.ts'
import { commentRecord } from './map-issues.ts'
import { account, called, fullName, gone, labels, numbered, repository, stamps, topics } from './things.ts'

/** `discussion`: the discussion as it stands after the event. */
export function mapDiscussion(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const discussion = pick(payload, 'discussion')
  const at = text(discussion, 'number')
  if (!repo || !at) return undefined
  const withdrawn = withdrawal(`discussion/${repo}#${at}`, 'discussion')
  if (gone(payload)) return withdrawn
  const moved = pick(payload, 'changes', 'new_discussion')
  if (text(payload, 'action') === 'transferred' && isThere(moved)) {
    const there = pick(payload, 'changes', 'new_repository')
    return [withdrawn, discussionRecord(moved, { repository: there }, text(there, 'full_name') ?? repo)]
  }
  return discussionRecord(discussion, payload, repo)
}

/** `discussion_comment`: the comment, and the discussion that it stands in. */
export function mapDiscussionComment(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const comment = pick(payload, 'comment')
  const externalId = idOf('discussion_comment', repo, text(comment, 'id'))
  if (!repo || !externalId) return undefined
  const discussion = pick(payload, 'discussion')
  const parent = numbered('discussion', discussion, repo)
  const answered = text(comment, 'parent_id')
  const properties = { thread: answered && `discussion_comment/${repo}/${answered}` }
  const said = commentRecord(externalId, comment, payload, parent, { properties })
  return [said, discussionRecord(discussion, payload, repo)]
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
    ...stamps(discussion),
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
