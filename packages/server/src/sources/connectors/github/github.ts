import { type Connector, type Delivered, ignored, mapped, sha256Signature } from '../connector.ts'
import { hasObject, moment, pick, text } from '../pick.ts'
import { type Entity, type MapEvent, type MappingResult, sameFor, toRecord } from '../to-record.ts'
import { account, assignGithubSite, numberedEntity, repository } from './entities.ts'
import {
  mapAdvisory,
  mapAlert,
  mapCommitComment,
  mapDeployment,
  mapPackage,
  mapPush,
  mapRelease,
  mapWiki,
  mapWorkflowRun,
} from './map-code.ts'
import { mapDiscussion, mapDiscussionComment, mapIssue, mapIssueComment } from './map-issues.ts'
import { mapBoard, mapMembership, mapMilestone, mapRepository, mapStatusUpdate, mapTeam } from './map-organisation.ts'
import { mapPullRequest, mapReview, mapReviewComment } from './map-pull-requests.ts'
import { pullGithub, REPOSITORIES_MAX } from './pull-github.ts'

/** Mapping function of each event that has content to store. */
const EVENTS: Record<string, MapEvent> = {
  issues: mapIssue,
  sub_issues: mapSubIssue,
  issue_dependencies: mapDependency,
  issue_comment: mapIssueComment,
  pull_request: mapPullRequest,
  pull_request_review: mapReview,
  pull_request_review_comment: mapReviewComment,
  discussion: mapDiscussion,
  discussion_comment: mapDiscussionComment,
  push: mapPush,
  commit_comment: mapCommitComment,
  release: mapRelease,
  gollum: mapWiki,
  workflow_run: mapWorkflowRun,
  milestone: mapMilestone,
  projects_v2_status_update: mapStatusUpdate,
  ...sameFor(mapDeployment, 'deployment deployment_status'),
  ...sameFor(mapPackage, 'package registry_package'),
  ...sameFor(mapRepository, 'repository public'),
  ...sameFor(mapTeam, 'team team_add'),
  ...sameFor(mapMembership, 'membership member organization'),
  ...sameFor(mapBoard, 'project project_card projects_v2'),
  ...sameFor(mapAlert, 'code_scanning_alert dependabot_alert secret_scanning_alert repository_vulnerability_alert'),
  ...sameFor(mapAdvisory, 'security_advisory repository_advisory'),
}

/** Events without content to store: running builds, stars, forks, settings, installations and billing. */
const NO_KNOWLEDGE = new Set([
  ...['branch_protection_rule', 'check_run', 'check_suite', 'create', 'delete', 'deploy_key', 'deployment_review'],
  ...['fork', 'github_app_authorization', 'installation', 'installation_repositories', 'label', 'merge_group'],
  ...['installation_target', 'marketplace_purchase', 'meta', 'org_block', 'page_build', 'project_column'],
  ...['projects_v2_item', 'pull_request_review_thread', 'repository_dispatch', 'repository_import', 'sponsorship'],
  ...['star', 'status', 'watch', 'workflow_dispatch', 'workflow_job', 'deployment_protection_rule'],
  ...['secret_scanning_alert_location', 'security_and_analysis', 'repository_ruleset', 'custom_property'],
  ...['custom_property_values', 'branch_protection_configuration', 'secret_scanning_scan'],
])

/** Connector for GitHub's webhooks and its REST API. */
export const github: Connector = {
  providers: ['github', 'github_enterprise'],
  product: 'GitHub',
  settings: {
    read: {
      repositories: {
        type: 'array',
        items: { type: 'string', pattern: '^[^/]+/[^/]+$' },
        maxItems: REPOSITORIES_MAX,
        description: 'Repositories to read, each as `owner/name`.',
      },
      base_url: { type: 'string', format: 'uri', description: 'URL of the GitHub Enterprise API.' },
    },
  },
  forms: ['json', 'form'],
  signature: sha256Signature('x-hub-signature-256'),
  eventId: ({ headers }) => headers['x-github-delivery'],
  pull: pullGithub,
  map: (delivered) => {
    const payload = delivered.body
    const name = eventName(delivered)
    if (name === undefined) return ignored('unknown', 'unknown_event')
    const action = text(payload, 'action')
    const event = action ? `${name}.${action}` : name
    if (name === 'ping') return ignored(event, 'handshake')
    const mapEvent = Object.hasOwn(EVENTS, name) ? EVENTS[name] : undefined
    if (!mapEvent) return ignored(event, NO_KNOWLEDGE.has(name) ? 'no_knowledge' : 'unknown_event')
    return mapped(event, mapEvent(payload, event), (records) => assignGithubSite(records, delivered))
  },
}

/** Fields that identify an event if a relay dropped the event header. The most specific entries come first. */
const SHAPES: [event: string, parts: string[]][] = [
  ['pull_request_review_comment', ['comment', 'pull_request']],
  ['pull_request_review', ['review', 'pull_request']],
  ['pull_request_review_thread', ['thread', 'pull_request']],
  ['pull_request', ['pull_request']],
  ['discussion_comment', ['comment', 'discussion']],
  ['discussion', ['discussion']],
  ['issue_comment', ['comment', 'issue']],
  ['issues', ['issue']],
  ['commit_comment', ['comment']],
  ['deployment_status', ['deployment_status', 'deployment']],
  ['deployment', ['deployment']],
  ['release', ['release']],
  ['milestone', ['milestone']],
  ['workflow_run', ['workflow_run']],
  ['push', ['pusher', 'commits']],
  ['push', ['pusher', 'head_commit']],
  ['gollum', ['pages']],
  ['project_card', ['project_card']],
  ['project', ['project']],
  ['membership', ['member', 'team']],
  ['team', ['team']],
]

function eventName({ headers, body }: Delivered): string | undefined {
  const named = headers['x-github-event']
  if (named) return named.toLowerCase()
  if (text(body, 'zen') !== undefined) return 'ping'
  return SHAPES.find(([, parts]) =>
    parts.every((part) => hasObject(body, part) || Array.isArray(pick(body, part))),
  )?.[0]
}

/** Maps `sub_issues`: one issue is part of another. Both issues send the event. */
function mapSubIssue(payload: unknown): MappingResult {
  const [part, whole] = [linkedIssue(payload, 'sub_issue'), linkedIssue(payload, 'parent_issue')]
  return mapLink(payload, { subject: part, predicate: 'part_of', words: 'is a part of', object: whole })
}

/** Maps `issue_dependencies`: one issue blocks another. */
function mapDependency(payload: unknown): MappingResult {
  const [blocking, blocked] = [linkedIssue(payload, 'blocking_issue'), linkedIssue(payload, 'blocked_issue')]
  return mapLink(payload, { subject: blocking, predicate: 'blocks', words: 'blocks', object: blocked })
}

interface Link {
  subject: Entity | undefined
  predicate: string
  words: string
  object: Entity | undefined
}

function mapLink(payload: unknown, { subject, predicate, words, object }: Link): MappingResult {
  if (!subject || !object) return undefined
  return toRecord({
    externalId: `issue_link/${subject.name}/${predicate}/${object.name}`,
    type: 'issue_link',
    gone: text(payload, 'action')?.endsWith('_removed') && {},
    text: `${displayName(subject)} ${words} ${displayName(object)}.`,
    url: text(subject.identifiers?.url),
    occurredAt: moment(payload, 'sub_issue', 'updated_at') ?? moment(payload, 'blocked_issue', 'updated_at'),
    author: account(pick(payload, 'sender')),
    entities: [subject, object, repository(pick(payload, 'repository'))],
    relations: [{ subject, predicate, object }],
  })
}

function displayName({ name, aliases }: Entity): string {
  return aliases?.[0] ? `${name} “${aliases[0]}”` : name
}

const API_PATH = /\/repos\/([^/]+\/[^/]+)$/

/** Returns one of the two issues. Each names its own repository, which may differ from the delivery's. */
function linkedIssue(payload: unknown, field: string): Entity | undefined {
  const issue = pick(payload, field)
  const own = API_PATH.exec(text(issue, 'repository_url') ?? '')?.[1]
  const repo = own ?? text(payload, `${field}_repo`, 'full_name') ?? text(payload, 'repository', 'full_name')
  return repo ? numberedEntity('issue', issue, repo) : undefined
}
