import type { Phase } from '@cairnstore/contract'
import { REPOSITORY } from './provider-event.ts'

/** A work item on a tracker's board: column name, provider payload and expected state. */
export interface OnBoard {
  readonly called: string
  readonly event: [provider: string, body: object, headers?: Record<string, string>]
  readonly phase: Phase
}

const AT = '2026-05-04T10:00:00.000Z'
let made = 0

function jira(name: string, category: string, phase: Phase, resolution?: string): OnBoard {
  made += 1
  const fields = {
    summary: `Jira work in ${name}`,
    status: { name, statusCategory: { key: category } },
    ...(resolution && { resolution: { name: resolution } }),
    created: AT,
  }
  const issue = { id: String(made), key: `HRB-${made}`, fields }
  return { called: `Jira: ${name}`, event: ['jira', { webhookEvent: 'jira:issue_updated', issue }], phase }
}

function linear(name: string, type: string, phase: Phase): OnBoard {
  made += 1
  const data = { id: `l${made}`, identifier: `LIN-${made}`, title: `Linear work in ${name}`, state: { name, type } }
  const body = { type: 'Issue', action: 'update', data, createdAt: AT }
  return { called: `Linear: ${name}`, event: ['linear', body], phase }
}

function github(state: string, reason: string | null, phase: Phase): OnBoard {
  made += 1
  const issue = {
    number: made,
    title: `GitHub work ${made}`,
    state,
    state_reason: reason,
    created_at: AT,
    updated_at: AT,
  }
  const body = { action: 'edited', issue, repository: REPOSITORY }
  return { called: `GitHub: ${state}, ${reason}`, event: ['github', body, { 'x-github-event': 'issues' }], phase }
}

function pull(called: string, fields: object, phase: Phase): OnBoard {
  made += 1
  const asked = { number: made, title: `GitHub request ${made}`, created_at: AT, updated_at: AT, ...fields }
  const body = { action: 'edited', pull_request: asked, repository: REPOSITORY }
  return { called: `GitHub: ${called}`, event: ['github', body, { 'x-github-event': 'pull_request' }], phase }
}

const PROJECT = { id: 1, path_with_namespace: 'acme/web', web_url: 'https://gitlab.com/acme/web' }

function gitlab(kind: 'issue' | 'merge_request', state: string, phase: Phase, more: object = {}): OnBoard {
  made += 1
  const item = { id: made, iid: made, title: `GitLab work ${made}`, state, created_at: AT, updated_at: AT, ...more }
  const body = { object_kind: kind, project: PROJECT, object_attributes: item }
  const event = kind === 'issue' ? 'Issue Hook' : 'Merge Request Hook'
  return {
    called: `GitLab: ${kind} ${state} ${JSON.stringify(more)}`,
    event: ['gitlab', body, { 'x-gitlab-event': event }],
    phase,
  }
}

/**
 * Common board columns with the payloads of their trackers: custom names in several languages, and columns whose state
 * is known only from the tracker's category.
 */
export const boards: readonly OnBoard[] = [
  jira('Selected for Development', 'new', 'open'),
  jira('Needs triage', 'new', 'open'),
  jira('Icebox', 'new', 'open'),
  jira('Deferred', 'new', 'open'),
  jira('Parked', 'new', 'open'),
  jira('QA', 'indeterminate', 'doing'),
  jira('In QA', 'indeterminate', 'doing'),
  jira('Testing', 'indeterminate', 'doing'),
  jira('Awaiting customer', 'indeterminate', 'doing'),
  jira('Implemented', 'done', 'done'),
  jira('Verified', 'done', 'done'),
  jira('Live', 'done', 'done', 'Done'),
  jira('Closed', 'done', 'dropped', 'Won’t Do'),
  jira('Rejeté', 'done', 'dropped', 'Declined'),
  jira('Obsolete', 'done', 'dropped', 'Duplicate'),
  linear('Icebox', 'backlog', 'open'),
  linear('Triage', 'triage', 'open'),
  linear('In QA', 'started', 'doing'),
  linear('Live', 'completed', 'done'),
  linear('Won’t do', 'canceled', 'dropped'),
  linear('Obsolete', 'duplicate', 'dropped'),
  github('open', null, 'open'),
  github('open', 'reopened', 'open'),
  github('closed', 'completed', 'done'),
  github('closed', 'not_planned', 'dropped'),
  github('closed', 'duplicate', 'dropped'),
  pull('a draft', { state: 'open', draft: true }, 'doing'),
  pull('merged', { state: 'closed', merged_at: AT }, 'done'),
  pull('closed unmerged', { state: 'closed', merged_at: null }, 'dropped'),
  gitlab('issue', 'opened', 'open'),
  gitlab('issue', 'opened', 'doing', { status: { name: 'Testing', category: 'in_progress' } }),
  gitlab('issue', 'closed', 'done'),
  gitlab('issue', 'closed', 'dropped', { status: { name: 'Won’t do', category: 'canceled' } }),
  gitlab('merge_request', 'opened', 'doing'),
  gitlab('merge_request', 'merged', 'done'),
  gitlab('merge_request', 'closed', 'dropped'),
]
