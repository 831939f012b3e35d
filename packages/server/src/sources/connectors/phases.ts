import type { Phase } from '@cairnstore/contract'
import { phaseOfState } from '@cairnstore/engine/resolve'

/** GitHub's reasons for closing an issue that was not done. */
const NOT_DONE: ReadonlySet<string> = new Set(['not_planned', 'duplicate'])

/** Returns the phase of a GitHub issue, discussion or milestone from `open` or `closed` and the closing reason. */
export function githubIssuePhase(state: string | undefined, reason: string | undefined): Phase | undefined {
  if (state === 'open') return 'open'
  if (state !== 'closed') return undefined
  return NOT_DONE.has(reason?.toLowerCase() ?? '') ? 'dropped' : 'done'
}

/** Returns the phase of a pull or merge request: `doing` if open, `dropped` if closed without a merge. */
export function requestPhase(state: string | undefined, isMerged: boolean): Phase | undefined {
  if (isMerged || state === 'merged') return 'done'
  return REQUESTS.get(state ?? '')
}

const REQUESTS = byState({ doing: 'open opened locked', dropped: 'closed' })

/** Returns the phase of a GitLab issue by its status category, or else by its state. */
export function gitlabIssuePhase(state: string | undefined, category: string | undefined): Phase | undefined {
  return GITLAB.get(category?.toLowerCase() ?? '') ?? GITLAB.get(state ?? '')
}

const GITLAB = byState({
  open: 'triage to_do open opened',
  doing: 'in_progress',
  done: 'done closed',
  dropped: 'canceled',
})

/** Returns the phase of a Linear issue or project by the type of its state. */
export function linearPhase(type: string | undefined): Phase | undefined {
  return LINEAR.get(type?.toLowerCase() ?? '')
}

const LINEAR = byState({
  open: 'triage backlog unstarted planned paused',
  doing: 'started',
  done: 'completed',
  dropped: 'canceled duplicate',
})

/** Returns the phase of a Jira issue by status category. The name of the resolution distinguishes done from dropped. */
export function jiraPhase(category: string | undefined, resolution: string | undefined): Phase | undefined {
  const phase = JIRA.get(category?.toLowerCase() ?? '')
  return phase === 'done' && phaseOfState(resolution ?? '') === 'dropped' ? 'dropped' : phase
}

const JIRA = byState({ open: 'new undefined', doing: 'indeterminate', done: 'done' })

/** Returns the phase of each state. The states of a phase are separated by spaces. */
function byState(states: Partial<Record<Phase, string>>): ReadonlyMap<string, Phase> {
  const phases = Object.entries(states) as [Phase, string][]
  return new Map(phases.flatMap(([phase, names]) => names.split(' ').map((name) => [name, phase] as const)))
}
