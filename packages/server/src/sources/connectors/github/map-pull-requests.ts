import { requestPhase } from '../phases.ts'
import { list, moment, number, pick, present, text } from '../pick.ts'
import { branchIssue, closedIssues, mentionedPeople, withoutHtmlComments } from '../references.ts'
import { idOf, type MappingResult, relationsTo, toRecord } from '../to-record.ts'
import {
  account,
  assignees,
  fullName,
  labels,
  milestone,
  numberedEntity,
  referenceContext,
  repository,
  team,
  timestamps,
  topics,
} from './entities.ts'
import { commentRecord } from './map-issues.ts'

/** Maps `pull_request_review`: the reviewer's verdict and text. */
export function mapReview(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const review = pick(payload, 'review')
  if (!repo) return undefined
  const subject = numberedEntity('pull_request', pick(payload, 'pull_request'), repo)
  const author = account(pick(review, 'user'))
  const body = withoutHtmlComments(text(review, 'body'))
  const state = text(review, 'state')?.toLowerCase()
  const at = moment(review, 'submitted_at')
  return toRecord({
    externalId: idOf('review', repo, text(review, 'id')),
    type: 'review',
    title: subject && `Review of ${subject.aliases?.[0] ?? subject.name}`,
    text: body ?? (state && author && subject ? `${author.name} ${verdict(state)} ${subject.name}.` : undefined),
    url: text(review, 'html_url'),
    occurredAt: at,
    asOf: moment(review, 'updated_at') ?? at,
    author,
    participants: [account(pick(payload, 'pull_request', 'user')), ...mentionedPeople(body)],
    entities: [subject, repository(pick(payload, 'repository'))],
    relations: [{ subject: author, predicate: 'reviewed', object: subject, validFrom: at }],
    properties: { state, on: subject?.name, sha: text(review, 'commit_id') },
  })
}

const VERDICTS: Record<string, string> = {
  approved: 'approved',
  changes_requested: 'requested changes to',
  dismissed: 'had a review dismissed of',
}

function verdict(state: string): string {
  return text(VERDICTS, state) ?? 'commented on'
}

/** Maps `pull_request_review_comment`: a comment on a line. */
export function mapReviewComment(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const externalId = idOf('review_comment', repo, text(payload, 'comment', 'id'))
  if (!repo || !externalId) return undefined
  const parent = numberedEntity('pull_request', pick(payload, 'pull_request'), repo)
  const comment = pick(payload, 'comment')
  const answered = text(comment, 'in_reply_to_id')
  const properties = {
    sha: text(comment, 'commit_id'),
    thread: answered ? `review_comment/${repo}/${answered}` : externalId,
  }
  return commentRecord(externalId, comment, payload, parent, { properties })
}

/** Maps `pull_request` to the state of the pull request after the event. */
export function mapPullRequest(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const pull = pick(payload, 'pull_request')
  const own = repo ? numberedEntity('pull_request', pull, repo) : undefined
  if (!own || !text(pull, 'title')) return undefined
  const body = withoutHtmlComments(text(pull, 'body'))
  const place = repository(pick(payload, 'repository'))
  const branch = text(pull, 'head', 'ref')
  const names = labels(pull)
  const goal = milestone(pick(pull, 'milestone'))
  const responsible = assignees(pull)
  const reviewers = present(list(pull, 'requested_reviewers').map(account))
  const teams = present(list(pull, 'requested_teams').map(team))
  const mergedAt = moment(pull, 'merged_at')
  const merger = account(pick(pull, 'merged_by'))
  const closes = closedIssues(body, referenceContext(payload))
  return toRecord({
    externalId: `pull/${own.name}`,
    type: 'pull_request',
    title: text(pull, 'title'),
    text: body,
    ...timestamps(pull),
    author: account(pick(pull, 'user')),
    participants: [...responsible, ...reviewers, merger, ...mentionedPeople(body)],
    entities: [own, place, goal, ...closes, branchIssue(branch), ...teams, ...topics(names)],
    relations: [
      { subject: own, predicate: 'part_of', object: place },
      { subject: own, predicate: 'part_of', object: goal },
      ...relationsTo(own, 'assigned_to', responsible),
      ...relationsTo(own, 'review_requested_from', [...reviewers, ...teams]),
      ...relationsTo(own, 'closes', closes),
      { subject: own, predicate: 'merged_by', object: merger, validFrom: mergedAt },
    ],
    properties: {
      state: mergedAt ? 'merged' : text(pull, 'state'),
      draft: pick(pull, 'draft') === true ? true : undefined,
      labels: names,
      assignees: responsible.map(({ name }) => name),
      reviewers: [...reviewers, ...teams].map(({ name }) => name),
      milestone: goal?.name,
      branch,
      base: text(pull, 'base', 'ref'),
      sha: text(pull, 'head', 'sha'),
      merge_commit_sha: mergedAt ? text(pull, 'merge_commit_sha') : undefined,
      merged_at: mergedAt,
      closed_at: moment(pull, 'closed_at'),
      changed_files: number(pull, 'changed_files'),
      additions: number(pull, 'additions'),
      deletions: number(pull, 'deletions'),
      number: number(pull, 'number'),
    },
    phase: requestPhase(text(pull, 'state'), mergedAt !== undefined),
    owner: responsible[0],
  })
}
