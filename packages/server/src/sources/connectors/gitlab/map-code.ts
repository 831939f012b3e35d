import { list, moment, number, pick, present, text } from '../pick.ts'
import { branchIssue, closedIssues, withoutHtmlComments } from '../references.ts'
import { entity, idOf, type MappingResult, relationsTo, toRecord } from '../to-record.ts'
import { account, committer, projectPath, projectUrl, pusher, referenceContext, repository } from './entities.ts'

const BRANCH = /^refs\/(?:heads|tags)\//
const FILES_SHOWN = 50
const SHORT_SHA_CHARS = 8
const ENDED = new Set(['success', 'failed', 'canceled'])

/** Maps a push to its commits. A push without commits only moves a ref. */
export function mapPush(payload: unknown): MappingResult {
  const path = projectPath(payload)
  const branch = text(payload, 'ref')?.replace(BRANCH, '')
  const commits = list(payload, 'commits').filter((commit) => text(commit, 'id'))
  if (!path || commits.length === 0) return 'no_knowledge'
  return commits.map((commit) => {
    const sha = text(commit, 'id')!
    const message = text(commit, 'message')
    const files = ['added', 'modified', 'removed'].flatMap((kind) =>
      present(list(commit, kind).map((one) => text(one))),
    )
    const own = entity('commit', `${path}@${sha.slice(0, SHORT_SHA_CHARS)}`, { url: text(commit, 'url'), sha })
    const closes = closedIssues(message, referenceContext(payload))
    return toRecord({
      externalId: `commit/${path}@${sha}`,
      type: 'commit',
      title: text(commit, 'title') ?? message?.split('\n', 1)[0],
      text: message,
      url: text(commit, 'url'),
      occurredAt: moment(commit, 'timestamp'),
      author: committer(pick(commit, 'author')) ?? pusher(payload),
      entities: [own, repository(payload), branchIssue(branch), ...closes],
      relations: [
        { subject: own, predicate: 'part_of', object: repository(payload) },
        ...relationsTo(own, 'closes', closes),
      ],
      properties: { sha, branch, files: files.slice(0, FILES_SHOWN), changed_files: files.length || undefined },
    })
  })
}

/** Maps releases, with their notes. */
export function mapRelease(payload: unknown): MappingResult {
  const path = projectPath(payload)
  const tag = text(payload, 'tag')
  const name = text(payload, 'name') ?? tag
  const own = entity('release', `${path} ${tag}`, { url: text(payload, 'url') }, { aliases: [name] })
  return toRecord({
    externalId: idOf('release', path, tag),
    type: 'release',
    gone: text(payload, 'action') === 'delete' && {},
    title: `${text(payload, 'project', 'name') ?? path} ${name}`,
    text: withoutHtmlComments(text(payload, 'description')),
    url: text(payload, 'url'),
    occurredAt: moment(payload, 'released_at') ?? moment(payload, 'created_at'),
    author: account(pick(payload, 'user')) ?? committer(pick(payload, 'commit', 'author')),
    entities: [own, repository(payload)],
    relations: [{ subject: own, predicate: 'part_of', object: repository(payload) }],
    properties: { tag, state: 'released', sha: text(payload, 'commit', 'id') },
  })
}

export function mapWiki(payload: unknown): MappingResult {
  const page = pick(payload, 'object_attributes')
  const path = projectPath(payload) ?? text(payload, 'wiki', 'path_with_namespace')
  return toRecord({
    externalId: idOf('wiki', path, text(page, 'slug')),
    type: 'page',
    gone: text(page, 'action') === 'delete' && {},
    title: text(page, 'title'),
    text: withoutHtmlComments(text(page, 'content') ?? text(page, 'message')),
    url: text(page, 'url'),
    occurredAt: moment(page, 'created_at'),
    author: account(pick(payload, 'user')),
    entities: [repository(payload)],
  })
}

/** Maps the result of a pipeline. A pipeline in progress gives no record. */
export function mapPipeline(payload: unknown): MappingResult {
  const run = pick(payload, 'object_attributes')
  const path = projectPath(payload)
  const id = text(run, 'id')
  const status = text(run, 'status') ?? ''
  if (!path || !id) return undefined
  if (!ENDED.has(status)) return 'no_knowledge'
  const branch = text(run, 'ref')
  return toRecord({
    externalId: `pipeline/${path}/${id}`,
    type: 'pipeline',
    title: `Pipeline of ${path}${branch ? ` (${branch})` : ''}: ${status}`,
    text: text(payload, 'commit', 'title') ?? text(payload, 'commit', 'message'),
    url: text(run, 'url') ?? (projectUrl(payload) && `${projectUrl(payload)}/-/pipelines/${id}`),
    occurredAt: moment(run, 'created_at'),
    asOf: moment(run, 'finished_at'),
    author: account(pick(payload, 'user')),
    participants: [committer(pick(payload, 'commit', 'author'))],
    entities: [repository(payload), branchIssue(branch)],
    properties: {
      conclusion: status,
      branch,
      sha: text(run, 'sha'),
      trigger: text(run, 'source'),
      duration_seconds: number(run, 'duration'),
      failed_jobs: present(
        list(payload, 'builds').map((build) => (text(build, 'status') === 'failed' ? text(build, 'name') : undefined)),
      ),
    },
  })
}

/** Maps a deployment to one record, with its current state. */
export function mapDeployment(payload: unknown): MappingResult {
  const path = projectPath(payload)
  const at = moment(payload, 'status_changed_at')
  const environment = text(payload, 'environment')
  return toRecord({
    externalId: idOf('deployment', path, text(payload, 'deployment_id')),
    type: 'deployment',
    title: `Deployment of ${path}${environment ? ` to ${environment}` : ''}`,
    text: text(payload, 'commit_title'),
    url: text(payload, 'deployable_url') ?? text(payload, 'commit_url'),
    occurredAt: at,
    asOf: at,
    author: account(pick(payload, 'user')),
    entities: [repository(payload), entity('environment', environment)],
    properties: {
      state: text(payload, 'status'),
      environment,
      branch: text(payload, 'ref'),
      sha: text(payload, 'short_sha'),
    },
  })
}
