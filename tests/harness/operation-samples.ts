import { type Operation, operations } from '@cairnstore/contract'
import { findMaybeOne, putMaybeOne } from './maybe-one.ts'
import { filled, type Ids, type OperationId, type Tenant } from './tenant.ts'

/** Overrides for a valid request of an operation. The default is the filled path and the contract's example body. */
export interface Sample {
  /** Returns the body, if the contract's example needs ids of the tenant or a unique name. */
  readonly body?: (ids: Ids, nonce: string) => unknown
  readonly query?: (ids: Ids) => Record<string, string>
  /** Creates what one use of the operation consumes, so that it can be repeated. Returns the new ids. */
  readonly fresh?: (tenant: Tenant, nonce: string) => Promise<Partial<Ids>>
}

/** A complete request. */
export interface SampleRequest {
  readonly method: Operation['method']
  readonly url: string
  readonly body: unknown
}

const SANDBOXES = '/api/v1/storage/sandboxes'

const freshProject: Sample['fresh'] = async ({ call, ids }, nonce) => {
  const { body } = await call('POST', `${SANDBOXES}/${ids.sandbox_id}/projects`, {
    name: `Project ${nonce}`,
    data_source_ids: [ids.source_id],
  })
  return { project_id: body.project_id }
}

/** Creates a source for deliveries in the tenant's project, so that callers limited to that project can access it. */
const freshSource: Sample['fresh'] = async ({ call, ids }, nonce) => {
  const storage = `${SANDBOXES}/${ids.sandbox_id}`
  const { body } = await call('POST', `${storage}/sources`, {
    provider: 'slack',
    name: `Source ${nonce}`,
    ingestion_mode: 'realtime',
  })
  await call('POST', `${storage}/projects/${ids.project_id}/sources/${body.data_source_id}`)
  return { source_id: body.data_source_id }
}

/** Creates an unreachable MCP server in the tenant's project. */
const freshToolServer: Sample['fresh'] = async ({ call, ids }, nonce) => {
  const storage = `${SANDBOXES}/${ids.sandbox_id}`
  const server = { name: `Tools ${nonce}`, base_url: 'https://tools.invalid/mcp', auth_kind: 'none' }
  const { body } = await call('POST', `${storage}/sources/user-mcp`, server)
  await call('POST', `${storage}/projects/${ids.project_id}/sources/${body.data_source_id}`)
  return { source_id: body.data_source_id }
}

/** Creates a stored answer of the tenant. */
const freshAnswer: Sample['fresh'] = async ({ call, ids: { sandbox_id, project_id } }) => {
  const path = `/api/v1/query/sandboxes/${sandbox_id}/search`
  const { body } = await call('POST', path, { query: 'Who is the author?', project_id })
  return { answer_id: body.answer_id }
}

/** Creates an evaluation of the tenant. */
const freshEvaluation: Sample['fresh'] = async ({ call, ids: { sandbox_id, project_id } }) => {
  const path = `/api/v1/query/sandboxes/${sandbox_id}/evaluations`
  const { body } = await call('POST', path, evaluationOf(project_id))
  return { evaluation_id: body.job_id }
}

function evaluationOf(project_id: string) {
  return { questions: [{ question: 'Who is the author?', unanswerable: true }], settings: { project_id } }
}

/** Creates an unreachable MCP server that requires consent, in the tenant's project. */
const freshOAuthServer: Sample['fresh'] = async ({ call, ids }, nonce) => {
  const storage = `${SANDBOXES}/${ids.sandbox_id}`
  const server = { name: `Hosted ${nonce}`, base_url: 'https://tools.invalid/mcp', auth_kind: 'oauth' }
  const { body } = await call('POST', `${storage}/sources/user-mcp`, server)
  await call('POST', `${storage}/projects/${ids.project_id}/sources/${body.data_source_id}`)
  return { source_id: body.data_source_id }
}

const freshSandbox: Sample['fresh'] = async ({ call }, nonce) => {
  const { body } = await call('POST', SANDBOXES, { name: `Sandbox ${nonce}`, owner_id: 'owner' })
  return { sandbox_id: body.sandbox_id }
}

const freshKey: Sample['fresh'] = async ({ call }, nonce) => {
  const { body } = await call('POST', '/api/v1/api-keys', { name: `Key ${nonce}` })
  return { key_id: body.id }
}

const freshConnection: Sample['fresh'] = async ({ call, ids: { sandbox_id, user_id } }) => {
  const { body } = await call('POST', `${SANDBOXES}/${sandbox_id}/connections`, { user_id, role: 'viewer' })
  return { connection_id: body.connection_id }
}

/** Imports a file into the tenant's project and returns its record. */
const freshOriginal: Sample['fresh'] = async ({ call, ids: { sandbox_id, project_id } }, nonce) => {
  const path = `${SANDBOXES}/${sandbox_id}/import?path=${encodeURIComponent(nonce)}.html&project_id=${project_id}`
  const page = `<html><body><p>The text of ${nonce}.</p></body></html>`
  const { body } = await call('POST', path, page, { 'content-type': 'text/html', prefer: 'wait=60' })
  return { record_id: body.result.record_id }
}

const freshInvitation: Sample['fresh'] = async ({ call }) => {
  const { body } = await call('POST', '/api/v1/invitations', { role: 'member' })
  return { invitation_id: body.invitation_id }
}

const freshMember: Sample['fresh'] = async ({ call }, nonce) => {
  const { body: invited } = await call('POST', '/api/v1/invitations', { role: 'member' })
  const joining = { code: invited.url.split('#i=')[1], display_name: `Member ${nonce}` }
  const { body } = await call('POST', '/api/v1/auth/invitation', joining)
  return { member_id: body.member_id }
}

const freshGroup: Sample['fresh'] = async ({ call }, nonce) => {
  const { body } = await call('POST', '/api/v1/groups', { name: `Group ${nonce}` })
  return { group_id: body.group_id }
}

const freshGroupRole: Sample['fresh'] = async ({ call }, nonce) => {
  const { body } = await call('POST', '/api/v1/group-roles', { claim: `claim ${nonce}`, role: 'viewer' })
  return { group_role_id: body.group_role_id }
}

/** Deletes webhooks of earlier uses, because their number per sandbox is limited. */
const roomForWebhook: Sample['fresh'] = async ({ call, ids }) => {
  const path = `${SANDBOXES}/${ids.sandbox_id}/webhooks`
  for (const { webhook_id } of (await call('GET', path)).body.webhooks) {
    if (webhook_id !== ids.webhook_id) await call('DELETE', `${path}/${webhook_id}`)
  }
  return {}
}

/** Creates a webhook that receives nothing. */
const freshWebhook: Sample['fresh'] = async (tenant, nonce) => {
  await roomForWebhook(tenant, nonce)
  const path = `${SANDBOXES}/${tenant.ids.sandbox_id}/webhooks`
  const { body } = await tenant.call('POST', path, { url: 'https://hooks.invalid/fresh' })
  return { webhook_id: body.webhook_id }
}

/** Creates an account with the operator's key. */
const freshAccount: Sample['fresh'] = async ({ admin }) => {
  const { body } = await admin('POST', '/api/v1/admin/accounts')
  return { user_id: body.user_id }
}

/** Creates two people in one record, without evidence that they are the same. */
const freshPeople = async (
  { call, ids: { sandbox_id, source_id } }: Tenant,
  nonce: string,
): Promise<[string, string]> => {
  const storage = `${SANDBOXES}/${sandbox_id}`
  const people = ['Ana', 'Ben'].map((name) => ({
    name: `${name} ${nonce}`,
    identifiers: { login: `${name}-${nonce}` },
  }))
  const record = { external_id: `people ${nonce}`, type: 'message', text: 'We met.', participants: people }
  await call('POST', `${storage}/sources/${source_id}/records`, { records: [record] }, { prefer: 'wait=30' })
  const find = async (name: string): Promise<string> => {
    const { body } = await call('GET', `${storage}/entities/search?q=${encodeURIComponent(`${name} ${nonce}`)}`)
    return body.results[0].canonical_id
  }
  return [await find('Ana'), await find('Ben')]
}

/** Creates a record of the tenant's source, so that callers limited to its project can access it. */
const freshRecord: Sample['fresh'] = async (tenant, nonce) => {
  await freshPeople(tenant, nonce)
  const { body } = await tenant.call('GET', `${SANDBOXES}/${tenant.ids.sandbox_id}/records?limit=1000`)
  const record = body.records.find(({ external_id }: { external_id: string }) => external_id === `people ${nonce}`)
  return { record_id: record.record_id }
}

const freshEntity: Sample['fresh'] = async (tenant, nonce) => {
  const [one, other] = await freshPeople(tenant, nonce)
  await tenant.call('POST', `${SANDBOXES}/${tenant.ids.sandbox_id}/entities/${one}/merge`, { into: other })
  return { canonical_id: other }
}

const freshMerge: Sample['fresh'] = async (tenant, nonce) => {
  const [one, other] = await freshPeople(tenant, nonce)
  const path = `${SANDBOXES}/${tenant.ids.sandbox_id}/entities/${one}/merge`
  const { body } = await tenant.call('POST', path, { into: other })
  return { canonical_id: other, merge_id: body.merge_id }
}

const freshSuggestion: Sample['fresh'] = async ({ call, ids: { sandbox_id, source_id } }, nonce) => {
  const storage = `${SANDBOXES}/${sandbox_id}`
  await putMaybeOne(call, { storage, sourceId: source_id }, nonce)
  return { suggestion_id: await findMaybeOne(call, storage, nonce) }
}

/**
 * One entry for every operation; a missing one does not compile. An empty entry means that the contract's example is a
 * valid body and that the operation consumes nothing that others need.
 */
export const SAMPLES: Readonly<Record<OperationId, Sample>> = {
  createApiKey: {},
  listApiKeys: {},
  revokeApiKey: { fresh: freshKey },
  getProfile: {},
  updateProfile: { body: () => ({ display_name: 'Somebody' }) },
  createConnection: { body: ({ user_id }) => ({ user_id, role: 'viewer' }) },
  listConnections: {},
  revokeConnection: { fresh: freshConnection },
  createConnectionKey: { fresh: freshConnection },
  listAudit: {},
  createAccount: {},
  listAccounts: {},
  createAccountKey: { fresh: freshAccount },
  suspendAccount: { fresh: freshAccount },
  reactivateAccount: { fresh: freshAccount },
  deleteAccount: { fresh: freshAccount },
  createConsoleCode: {},
  createAccountConsoleCode: {},
  // A valid code cannot be known in advance, so this is rejected like any invalid one.
  signInToConsole: { body: () => ({ code: 'made by nobody' }) },
  listMembers: {},
  updateMember: { fresh: freshMember },
  removeMember: { fresh: freshMember },
  createMemberCode: { fresh: freshMember },
  createInvitation: {},
  listInvitations: {},
  deleteInvitation: { fresh: freshInvitation },
  listGroups: {},
  createGroup: { body: (_, nonce) => ({ name: `Group ${nonce}` }) },
  updateGroup: { fresh: freshGroup, body: (_, nonce) => ({ name: `Renamed ${nonce}` }) },
  deleteGroup: { fresh: freshGroup },
  listGroupRoles: {},
  putGroupRole: {},
  deleteGroupRole: { fresh: freshGroupRole },
  beginSignIn: {},
  receiveSignIn: {},
  receiveBackchannelLogout: {},
  // The invitation does not exist.
  acceptInvitation: {},
  getSession: {},
  signOut: {},
  endSessions: {},
  updateSandboxTier: { body: () => ({ tier: 'enterprise' }) },
  listAuditChain: { query: ({ sandbox_id }) => ({ chain: sandbox_id }) },
  createSandbox: { body: (_, nonce) => ({ name: `Sandbox ${nonce}`, owner_id: 'owner' }) },
  listSandboxes: {},
  getSandbox: {},
  updateSandbox: { body: (_, nonce) => ({ name: `Sandbox ${nonce}`, metadata: {} }) },
  deleteSandbox: { fresh: freshSandbox },
  createSource: {},
  listSources: {},
  listProviders: {},
  getSource: {},
  updateSource: {},
  createProject: { body: ({ source_id }) => ({ name: 'Launch', data_source_ids: [source_id] }) },
  listProjects: {},
  getProject: {},
  updateProject: { body: () => ({ name: 'Launch' }) },
  archiveProject: { fresh: freshProject },
  deleteProject: { fresh: freshProject },
  linkSource: {},
  unlinkSource: { fresh: freshProject },
  ingest: { body: ({ project_id, source_id }) => ({ text: 'A note.', project_id, data_source_id: source_id }) },
  ingestPrimary: {},
  putMessages: {
    body: ({ project_id, source_id }, nonce) => ({
      session_id: `session ${nonce}`,
      messages: [{ role: 'user', content: 'A note.' }],
      project_id,
      data_source_id: source_id,
    }),
  },
  getJob: {},
  listJobs: {},
  putRecords: {},
  receiveDelivery: {},
  listEntities: { query: ({ project_id }) => ({ project_id }) },
  searchEntities: { query: ({ project_id }) => ({ q: 'Author', project_id }) },
  getEntity: { query: ({ project_id }) => ({ project_id }) },
  listNeighbours: { query: ({ project_id }) => ({ project_id, depth: '2' }) },
  getEntityProfile: { query: ({ project_id }) => ({ project_id }) },
  listChanges: { query: ({ project_id }) => ({ project_id }) },
  getOverview: { query: ({ project_id }) => ({ project_id }) },
  mergeEntities: { body: ({ canonical_id }) => ({ into: canonical_id }) },
  splitEntity: { fresh: freshEntity, body: (_, nonce) => ({ keys: [`Ana ${nonce}`, `Ana-${nonce}`] }) },
  undoMerge: { fresh: freshMerge },
  listMergeSuggestions: { query: ({ project_id }) => ({ project_id }) },
  acceptMergeSuggestion: { fresh: freshSuggestion },
  dismissMergeSuggestion: { fresh: freshSuggestion },
  listRecords: { query: ({ project_id, source_id }) => ({ project_id, source_id }) },
  getRecord: {},
  downloadOriginal: { fresh: freshOriginal },
  deleteRecord: { fresh: freshRecord },
  exportKnowledge: {},
  importKnowledge: {},
  discover: { body: ({ project_id }) => ({ query: 'Who is the author?', project_id }) },
  interpret: {
    body: ({ project_id, record_id, canonical_id }) => ({
      query: 'Who is the author?',
      items: [[canonical_id, record_id]],
      project_id,
    }),
  },
  search: { body: ({ project_id }) => ({ query: 'Who is the author?', project_id }) },
  gatherContext: { body: ({ project_id }) => ({ query: 'Who is the author?', project_id }) },
  listAnswers: {},
  getAnswer: {},
  deleteAnswer: { fresh: freshAnswer },
  giveFeedback: { fresh: freshAnswer },
  listFeedback: {},
  exportQuestions: {},
  shareAnswer: { fresh: freshAnswer },
  unshareAnswer: { fresh: freshAnswer },
  evaluate: { body: ({ project_id }) => evaluationOf(project_id) },
  listEvaluations: {},
  getEvaluation: {},
  deleteEvaluation: { fresh: freshEvaluation },
  listOrigins: {
    body: ({ project_id, record_id, canonical_id }) => ({ canonical_ids: [canonical_id, record_id], project_id }),
  },
  suspendSandbox: { fresh: freshSandbox },
  reactivateSandbox: { fresh: freshSandbox },
  archiveSandbox: { fresh: freshSandbox },
  rotateSandboxKey: {},
  deleteOwner: { body: (_, nonce) => ({ owner_id: `nobody ${nonce}` }) },
  pauseSource: { fresh: freshSource },
  resumeSource: { fresh: freshSource },
  disconnectSource: { fresh: freshSource },
  rotateWebhookSecret: { fresh: freshSource },
  pullSource: { fresh: freshSource },
  purgeSource: { fresh: freshSource },
  deleteSource: { fresh: freshSource },
  listRuns: {},
  listRunFiles: {},
  listDeliveries: {},
  createTracker: {},
  createUserMcp: {},
  updateUserMcp: { fresh: freshToolServer, body: () => ({ auth_kind: 'bearer', token: 'another-token' }) },
  testUserMcp: { fresh: freshToolServer },
  authorizeUserMcp: { fresh: freshOAuthServer },
  // A valid code cannot be known in advance, so this is rejected like any wrong one.
  completeUserMcpAuthorization: { fresh: freshOAuthServer },
  revokeUserMcp: { fresh: freshToolServer },
  receiveOAuthCallback: {},
  receiveOAuthIssuerCallback: {},
  getOAuthClient: {},
  createWebhook: { fresh: roomForWebhook, body: () => ({ url: 'https://hooks.invalid/made' }) },
  listWebhooks: {},
  updateWebhook: { body: () => ({ status: 'paused' }) },
  deleteWebhook: { fresh: freshWebhook },
  rotateSigningSecret: {},
  testWebhook: {},
  listWebhookDeliveries: {},
  sendMcpMessage: {},
  sendMcpMessagePrimary: {},
  getMcpMetadata: {},
  getMcpMetadataPrimary: {},
  getSandboxUsage: {},
  getUsage: {},
  getUsageBalance: {},
  getHealth: {},
  getReadiness: {},
  getMetrics: {},
  getOpenApi: {},
  getReference: {},
}

/** Returns a valid request of an operation for these ids. `change` replaces fields of its body or query. */
export function sampleOf(
  id: OperationId,
  ids: Ids,
  nonce: string,
  change: Record<string, unknown> = {},
): SampleRequest {
  const { method, path, body: taken }: Operation = operations[id]
  const sample = SAMPLES[id]
  const given = sample.body ? sample.body(ids, nonce) : (taken?.example ?? {})
  const inBody = taken?.json !== undefined
  const query = new URLSearchParams({ ...sample.query?.(ids), ...(inBody ? {} : (change as Record<string, string>)) })
  return {
    method,
    url: `${filled(path, ids)}${query.size > 0 ? `?${query}` : ''}`,
    body: inBody ? { ...(given as object), ...change } : undefined,
  }
}
