import type { Phase } from '@cairnstore/contract'
import { phaseOfState } from '@cairnstore/engine/resolve'

/** What GitHub says that closed an issue without its being done. */
const NOT_DONE: ReadonlySet<string> = new Set(['not_planned', 'duplicate'])

/** GitHub's issues, discussions and milestones: `open` or `closed`, and why. */
export function githubIssuePhase(state: string | undefined, reason: string | undefined): Phase | undefined {
  if (state === 'open') return 'open'
  if (state !== 'closed') return undefined
  return NOT_DONE.has(reason?.toLowerCase() ?? '') ? 'dropped' : 'done'
}

/** A pull or merge request: what is open is being worked on, and what is closed unmerged will not be. */
export function requestPhase(state: string | undefined, isMerged: boolean): Phase | undefined {
  if (isMerged || state === 'merged') return 'done'
  return REQUESTS.get(state ?? '')
}

const REQUESTS: ReadonlyMap<string, Phase> = new Map([
  ['open', 'doing'],
  ['opened', 'doing'],
  ['locked', 'doing'],
  ['closed', 'dropped'],
])

/** GitLab's issues by the category of their status, where the site has statuses, else by their state. */
export function gitlabIssuePhase(state: string | undefined, category: string | undefined): Phase | undefined {
  return GITLAB.get(category?.toLowerCase() ?? '') ?? GITLAB.get(state ?? '')
}

const GITLAB: ReadonlyMap<string, Phase> = new Map([
  ['triage', 'open'],
  ['to_do', 'open'],
  ['in_progress', 'doing'],
  ['done', 'done'],
  ['canceled', 'dropped'],
  ['open', 'open'],
  ['opened', 'open'],
  ['closed', 'done'],
])

/** Linear's issues and projects by the type of their state. */
export function linearPhase(type: string | undefined): Phase | undefined {
  return LINEAR.get(type?.toLowerCase() ?? '')
}

const LINEAR: ReadonlyMap<string, Phase> = new Map([
  ['triage', 'open'],
  ['backlog', 'open'],
  ['unstarted', 'open'],
  ['planned', 'open'],
  ['paused', 'open'],
  ['started', 'doing'],
  ['completed', 'done'],
  ['canceled', 'dropped'],
  ['duplicate', 'dropped'],
])

/**
 * Jira's issues by the category of their status. Why work was ended has no category there, only a name, which says
 * where it is one of the usual ones that nothing was done.
 */
export function jiraPhase(category: string | undefined, resolution: string | undefined): Phase | undefined {
  const phase = JIRA.get(category?.toLowerCase() ?? '')
  return phase === 'done' && phaseOfState(resolution ?? '') === 'dropped' ? 'dropped' : phase
}

const JIRA: ReadonlyMap<string, Phase> = new Map([
  ['new', 'open'],
  ['undefined', 'open'],
  ['indeterminate', 'doing'],
  ['done', 'done'],
])
