import { list, moment, pick, present, text } from '../pick.ts'
import { branchIssue, closedIssues, mentionedPeople, withoutHtmlComments } from '../references.ts'
import {
  type Entity,
  entity,
  idOf,
  type MappedRecord,
  type MappingResult,
  relationsTo,
  toRecord,
} from '../to-record.ts'
import { account, committer, fullName, gone, referenceContext, repository, timestamps } from './entities.ts'
import { commentRecord } from './map-issues.ts'

const BRANCH = /^refs\/heads\//
const FILES_SHOWN = 50
const SHORT_SHA_CHARS = 7

/** Maps `push` to its commits. A push without commits only moves a ref. */
export function mapPush(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const commits = list(payload, 'commits').filter((commit) => text(commit, 'id'))
  if (!repo || commits.length === 0) return 'no_knowledge'
  return commits.map((commit) => commitRecord(commit, payload, repo))
}

function commitRecord(commit: unknown, payload: unknown, repo: string): MappedRecord {
  const sha = text(commit, 'id')!
  const message = text(commit, 'message')
  const branch = text(payload, 'ref')?.replace(BRANCH, '')
  const place = repository(pick(payload, 'repository'))
  const author = committer(pick(commit, 'author'))
  const by = committer(pick(commit, 'committer'))
  const files = ['added', 'modified', 'removed'].flatMap((kind) =>
    present(list(commit, kind).map((name) => text(name))),
  )
  const own = entity('commit', `${repo}@${sha.slice(0, SHORT_SHA_CHARS)}`, { url: text(commit, 'url'), sha })
  const closes = closedIssues(message, referenceContext(payload))
  return toRecord({
    externalId: `commit/${repo}@${sha}`,
    type: 'commit',
    title: message?.split('\n', 1)[0],
    text: message,
    url: text(commit, 'url'),
    occurredAt: moment(commit, 'timestamp'),
    author,
    participants: [by?.name === author?.name ? undefined : by, ...coAuthors(message)],
    entities: [own, place, branchIssue(branch), ...closes],
    relations: [{ subject: own, predicate: 'part_of', object: place }, ...relationsTo(own, 'closes', closes)],
    properties: { sha, branch, files: files.slice(0, FILES_SHOWN), changed_files: files.length || undefined },
  })
}

const CO_AUTHOR = /^co-authored-by:[ \t]*([^\s<][^<\n]{0,255})<([^<>\s]{1,320})>/gim

function coAuthors(message: string | undefined): (Entity | undefined)[] {
  return [...(message ?? '').matchAll(CO_AUTHOR)].map((match) => committer({ name: match[1]?.trim(), email: match[2] }))
}

/** Maps `commit_comment`. */
export function mapCommitComment(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const comment = pick(payload, 'comment')
  const sha = text(comment, 'commit_id')
  const url = text(payload, 'repository', 'html_url')
  const on = sha
    ? entity('commit', `${repo}@${sha.slice(0, SHORT_SHA_CHARS)}`, { url: url && `${url}/commit/${sha}`, sha })
    : undefined
  const externalId = idOf('commit_comment', repo, text(comment, 'id'))
  return commentRecord(externalId, comment, payload, on, { properties: { sha } })
}

/** Maps `release`, with its notes. */
export function mapRelease(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const release = pick(payload, 'release')
  const tag = text(release, 'tag_name')
  const place = repository(pick(payload, 'repository'))
  const name = text(release, 'name') ?? tag
  const own = entity('release', `${repo} ${tag ?? name}`, { url: text(release, 'html_url') }, { aliases: [name] })
  const body = withoutHtmlComments(text(release, 'body'))
  return toRecord({
    externalId: idOf('release', repo, text(release, 'id') ?? tag),
    type: 'release',
    gone: gone(payload),
    title: `${text(payload, 'repository', 'name') ?? repo} ${name}`,
    text: body,
    url: text(release, 'html_url'),
    occurredAt: moment(release, 'published_at') ?? moment(release, 'created_at'),
    asOf: moment(release, 'updated_at'),
    author: account(pick(release, 'author')),
    participants: mentionedPeople(body),
    entities: [own, place],
    relations: [{ subject: own, predicate: 'part_of', object: place }],
    properties: {
      tag,
      state: pick(release, 'draft') === true ? 'draft' : 'released',
      prerelease: pick(release, 'prerelease') === true ? true : undefined,
      branch: text(release, 'target_commitish'),
    },
  })
}

/** Maps `gollum`: wiki pages with name and summary. GitHub does not send their text. */
export function mapWiki(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const place = repository(pick(payload, 'repository'))
  const pages = list(payload, 'pages').map((page) => {
    const name = text(page, 'page_name')
    const title = text(page, 'title') ?? name
    if (!repo || !name) return undefined
    return toRecord({
      externalId: `wiki/${repo}/${name}`,
      type: 'page',
      title,
      text: text(page, 'summary') ?? `The wiki page “${title}” was ${text(page, 'action') ?? 'edited'}.`,
      url: text(page, 'html_url'),
      author: account(pick(payload, 'sender')),
      occurredAt: moment(payload, 'repository', 'updated_at'),
      entities: [place],
      properties: { sha: text(page, 'sha') },
    })
  })
  return pages
}

/** Maps `deployment` and `deployment_status` to one record per deployment, with its current state. */
export function mapDeployment(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const deployment = pick(payload, 'deployment')
  const status = pick(payload, 'deployment_status')
  const environment = text(status, 'environment') ?? text(deployment, 'environment')
  const ref = text(deployment, 'ref')
  const place = repository(pick(payload, 'repository'))
  const about = text(status, 'description') ?? text(deployment, 'description')
  return toRecord({
    externalId: idOf('deployment', repo, text(deployment, 'id')),
    type: 'deployment',
    title: `Deployment of ${repo}${ref ? ` (${ref})` : ''}${environment ? ` to ${environment}` : ''}`,
    text: about,
    url: text(status, 'log_url') ?? text(status, 'target_url') ?? environmentUrl(payload, environment),
    occurredAt: moment(deployment, 'created_at'),
    asOf: moment(status, 'updated_at') ?? moment(deployment, 'updated_at'),
    author: account(pick(deployment, 'creator')),
    entities: [place, entity('environment', environment)],
    properties: {
      state: text(status, 'state') ?? 'created',
      environment,
      branch: ref,
      sha: text(deployment, 'sha'),
      task: text(deployment, 'task'),
    },
  })
}

/** Returns the URL of the page that lists an environment's deployments. */
function environmentUrl(payload: unknown, environment: string | undefined): string | undefined {
  const base = text(payload, 'repository', 'html_url')
  return base && environment && `${base}/deployments/${encodeURIComponent(environment)}`
}

/** Maps the result of a `workflow_run`. A run in progress gives no record. */
export function mapWorkflowRun(payload: unknown): MappingResult {
  const repo = fullName(payload)
  const run = pick(payload, 'workflow_run')
  const id = idOf('workflow_run', repo, text(run, 'id'))
  const conclusion = text(run, 'conclusion')
  if (!id || !conclusion) return 'no_knowledge'
  const name = text(run, 'name') ?? text(payload, 'workflow', 'name') ?? 'Workflow'
  const branch = text(run, 'head_branch')
  return toRecord({
    externalId: id,
    type: 'workflow_run',
    title: `${name} on ${repo}${branch ? ` (${branch})` : ''}: ${conclusion}`,
    text: text(run, 'display_title') ?? text(run, 'head_commit', 'message'),
    ...timestamps(run),
    author: account(pick(run, 'actor')) ?? committer(pick(run, 'head_commit', 'author')),
    entities: [repository(pick(payload, 'repository')), branchIssue(branch)],
    properties: { conclusion, workflow: name, branch, sha: text(run, 'head_sha'), trigger: text(run, 'event') },
  })
}

/** Maps `package` and `registry_package`: a published version. */
export function mapPackage(payload: unknown): MappingResult {
  const published = pick(payload, 'package') ?? pick(payload, 'registry_package')
  const version = text(published, 'package_version', 'version')
  const name = text(published, 'name')
  if (!name || !version) return undefined
  const body = text(published, 'package_version', 'body') ?? text(published, 'package_version', 'summary')
  return toRecord({
    externalId: `package/${text(published, 'namespace') ?? name}@${version}`,
    type: 'package',
    title: `${name} ${version}`,
    text: withoutHtmlComments(body) ?? text(published, 'description'),
    url: text(published, 'package_version', 'html_url') ?? text(published, 'html_url'),
    occurredAt: moment(published, 'package_version', 'created_at') ?? moment(published, 'created_at'),
    asOf: moment(published, 'package_version', 'updated_at'),
    author: account(pick(published, 'package_version', 'author')) ?? account(pick(payload, 'sender')),
    entities: [entity('package', name, { url: text(published, 'html_url') }), repository(pick(payload, 'repository'))],
    properties: { version, ecosystem: text(published, 'package_type') ?? text(published, 'ecosystem') },
  })
}

/** Maps the alerts of a repository: code scanning, dependencies, exposed secrets. The secret itself is never stored. */
export function mapAlert(payload: unknown, event: string): MappingResult {
  const alert = pick(payload, 'alert')
  const id = text(alert, 'number') ?? text(alert, 'id')
  const advisory = pick(alert, 'security_advisory')
  const [kind] = event.split('.', 1)
  const dependency =
    text(alert, 'dependency', 'package', 'name') ??
    text(alert, 'security_vulnerability', 'package', 'name') ??
    text(alert, 'affected_package_name')
  const title =
    text(advisory, 'summary') ??
    text(alert, 'rule', 'description') ??
    text(alert, 'secret_type_display_name') ??
    text(alert, 'external_identifier')
  return toRecord({
    externalId: idOf(kind, fullName(payload), id),
    type: 'alert',
    title: title ?? `${kind} ${id} of ${fullName(payload)}`,
    text: text(advisory, 'description') ?? text(alert, 'rule', 'full_description'),
    url: text(alert, 'html_url') ?? text(alert, 'external_reference'),
    occurredAt: moment(alert, 'created_at'),
    asOf: moment(alert, 'updated_at') ?? moment(alert, 'dismissed_at') ?? moment(alert, 'fixed_at'),
    author: account(pick(alert, 'dismissed_by')) ?? account(pick(payload, 'sender')),
    entities: [repository(pick(payload, 'repository')), entity('package', dependency), vulnerability(alert)],
    properties: {
      state: text(alert, 'state') ?? (text(alert, 'dismissed_at') ? 'dismissed' : text(payload, 'action')),
      severity: text(advisory, 'severity') ?? text(alert, 'rule', 'severity') ?? text(alert, 'severity'),
      package: dependency,
      fixed_in: text(alert, 'security_vulnerability', 'first_patched_version', 'identifier') ?? text(alert, 'fixed_in'),
      tool: text(alert, 'tool', 'name'),
      dismissed_reason: text(alert, 'dismissed_reason'),
    },
  })
}

/** Maps `security_advisory` and `repository_advisory`: a published vulnerability. */
export function mapAdvisory(payload: unknown): MappingResult {
  const advisory = pick(payload, 'security_advisory') ?? pick(payload, 'repository_advisory')
  const id = text(advisory, 'ghsa_id')
  const packages = present(list(advisory, 'vulnerabilities').map((one) => text(one, 'package', 'name')))
  return toRecord({
    externalId: idOf('advisory', id),
    type: 'advisory',
    title: text(advisory, 'summary') ?? id,
    text: text(advisory, 'description'),
    url: text(advisory, 'html_url') ?? text(advisory, 'references', 0, 'url'),
    occurredAt: moment(advisory, 'published_at'),
    asOf: moment(advisory, 'updated_at'),
    author: account(pick(advisory, 'author')),
    entities: [
      repository(pick(payload, 'repository')),
      entity('vulnerability', id, { key: id }, { aliases: [text(advisory, 'cve_id')] }),
      ...packages.map((name) => entity('package', name)),
    ],
    properties: {
      state: moment(advisory, 'withdrawn_at') ? 'withdrawn' : (text(advisory, 'state') ?? text(payload, 'action')),
      severity: text(advisory, 'severity'),
      packages: [...new Set(packages)],
    },
  })
}

function vulnerability(alert: unknown) {
  const id = text(alert, 'security_advisory', 'ghsa_id') ?? text(alert, 'ghsa_id')
  const cve = text(alert, 'security_advisory', 'cve_id') ?? text(alert, 'external_identifier')
  return entity('vulnerability', id ?? cve, { key: id ?? cve }, { aliases: [cve] })
}
