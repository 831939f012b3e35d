import type { operations } from '@cairnstore/contract'
import { findMaybeOne, putMaybeOne } from './maybe-one.ts'
import type { Answer, Call } from './test-app.ts'

/** Id of an API operation. */
export type OperationId = keyof typeof operations

type ParamsIn<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamsIn<More>
    : Rest
  : never

/** Path parameters of all operations. */
export type Param = ParamsIn<(typeof operations)[OperationId]['path']>

/** One id for every path parameter. A parameter without one does not compile. */
export type Ids = Record<Param, string>

/** An account with one object of every kind. Every string contains one word. */
export interface Tenant {
  readonly word: string
  readonly call: Call
  /** Calls with the operator's key. */
  readonly admin: Call
  readonly ids: Ids
  /** Ids of objects in the same sandbox but outside the project of `ids`. */
  readonly outside: Pick<Ids, 'source_id' | 'project_id' | 'record_id' | 'canonical_id' | 'job_id' | 'slug'>
}

const SANDBOXES = '/api/v1/storage/sandboxes'
const EXAMPLE_SECONDS = 30
const ISSUER_TAG_CHARS = 22
const ID_TAIL_CHARS = 26
const CONFLICT = 409
const POLL_MS = 100

/** A tenant without its merge suggestion, which exists only after record linkage. */
export interface TenantObjects extends Omit<Tenant, 'ids'> {
  readonly ids: Omit<Ids, 'suggestion_id'>
}

/** Runs `makeThings` and waits until record linkage has finished, so that nothing changes without a request. */
export async function makeTenant(call: Call, admin: Call, word: string): Promise<Tenant> {
  const things = await makeThings(call, admin, word)
  const storage = `${SANDBOXES}/${things.ids.sandbox_id}`
  await untilCompared(call, storage)
  return { ...things, ids: { ...things.ids, suggestion_id: await findMaybeOne(call, storage, word) } }
}

/**
 * Creates a sandbox with two projects, each with a source and a record, and a grant to another account. Every string
 * contains the word. Record linkage runs a moment later.
 */
export async function makeThings(call: Call, admin: Call, word: string): Promise<TenantObjects> {
  const made = async (path: string, body: unknown) => succeeded(await call('POST', path, body), path)
  await made('/api/v1/users/me/profile', { display_name: `Account of ${word}` })
  const key = await made('/api/v1/api-keys', { name: `Key of ${word}` })
  const metadata = { [`of ${word}`]: `value of ${word}` }
  const owned = { name: `Sandbox of ${word}`, owner_id: `owner of ${word}`, tier: 'enterprise', metadata }
  const { sandbox_id } = await made(SANDBOXES, owned)
  const storage = `${SANDBOXES}/${sandbox_id}`
  const inProject = await makeProject(call, storage, word)
  const accounts = '/api/v1/admin/accounts'
  const grantee = succeeded(await admin('POST', accounts, { display_name: `Grantee of ${word}` }), accounts)
  const grant = { user_id: grantee.user_id, role: 'viewer', label: `Label of ${word}` }
  const { connection_id } = await made(`${storage}/connections`, grant)
  const outside = await makeProject(call, storage, `the other ${word}`)
  const merge_id = await makeMerge(call, storage, inProject.source_id, word)
  const webhook_id = await makeWebhook(call, `${storage}/webhooks`, word)
  await putMaybeOne(call, { storage, sourceId: inProject.source_id }, word)
  const { answer_id } = await made(`${storage.replace('/storage/', '/query/')}/search`, questionOf(inProject, word))
  const evaluation_id = await makeEvaluation(call, storage.replace('/storage/', '/query/'), inProject, word)
  // Identifies an authorization server, not an object of the tenant.
  const issuer_tag = 'A'.repeat(ISSUER_TAG_CHARS)
  const user_id = grantee.user_id
  const people = await makePeople(made, word)
  const others = {
    ...people,
    issuer_tag,
    webhook_id,
    key_id: key.id,
    connection_id,
    user_id,
    merge_id,
    answer_id,
    evaluation_id,
  }
  return { word, call, admin, ids: { sandbox_id, ...others, ...inProject }, outside }
}

/** Creates a member with its group, an open invitation, and the role of a claim. */
async function makePeople(made: (path: string, body: unknown) => Promise<Answer['body']>, word: string) {
  const { group_id } = await made('/api/v1/groups', { name: `Group of ${word}`, claim: `claim of ${word}` })
  const claimed = { claim: `another claim of ${word}`, role: 'viewer' }
  const { group_role_id } = await made('/api/v1/group-roles', claimed)
  const email = `${word.replaceAll(' ', '-')}@example.com`
  const { url } = await made('/api/v1/invitations', { role: 'viewer', email, groups: [group_id] })
  const joining = { code: url.split('#i=')[1], display_name: `Member of ${word}` }
  const { member_id } = await made('/api/v1/auth/invitation', joining)
  const { invitation_id } = await made('/api/v1/invitations', { role: 'viewer', email: `other-${email}` })
  return { group_id, group_role_id, member_id, invitation_id }
}

/** Returns a question whose answer uses only the project's records. */
function questionOf({ project_id }: Pick<Ids, 'project_id'>, word: string) {
  return { query: `Who is the author of ${word}?`, project_id }
}

/** Starts an evaluation and waits until it has ended, so that nothing changes without a request. */
async function makeEvaluation(
  call: Call,
  path: string,
  { project_id, record_id }: Pick<Ids, 'project_id' | 'record_id'>,
  word: string,
): Promise<string> {
  const { query } = questionOf({ project_id }, word)
  const questions = [{ question: query, expected: `Author of ${word}`, record: record_id }]
  const evaluations = `${path}/evaluations`
  const begun = await call('POST', evaluations, { questions, settings: { project_id } })
  // A service that stores no answers rejects evaluations.
  if (begun.status === CONFLICT) return `job_${'0'.repeat(ID_TAIL_CHARS)}`
  const { job_id: id } = succeeded(begun, evaluations)
  for (let waited = 0; waited < EXAMPLE_SECONDS * 1_000; waited += POLL_MS) {
    if ((await call('GET', `${evaluations}/${id}`)).body.status === 'completed') return id
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error('the evaluation of the tenant did not end in time')
}

async function makeProject(call: Call, storage: string, word: string): Promise<Tenant['outside']> {
  const made = async (path: string, body: unknown, prefer = '') =>
    succeeded(await call('POST', path, body, { prefer }), path)
  const source = await made(`${storage}/sources`, {
    provider: 'slack',
    name: `Source of ${word}`,
    external_account_id: `workspace of ${word}`,
    adapter_config: { channels: [`channel of ${word}`] },
    ingestion_mode: 'realtime',
  })
  const project = await made(`${storage}/projects`, {
    name: `Project of ${word}`,
    description: `Description of ${word}`,
    data_source_ids: [source.data_source_id],
    metadata: { [`of ${word}`]: `value of ${word}` },
  })
  const records = `${storage}/sources/${source.data_source_id}/records`
  const job = await made(records, { records: [recordOf(word)] }, `wait=${EXAMPLE_SECONDS}`)
  if (job.status !== 'completed') throw new Error(`records not applied: ${JSON.stringify(job)}`)
  const query = storage.replace('/storage/', '/query/')
  const found = await made(`${query}/discover`, { query: `Who is the author of ${word}?`, limit: 100 })
  const item = found.items.find((each: { external_id: string }) => each.external_id === `external id of ${word}`)
  return {
    slug: source.webhook_url.split('/').at(-1),
    source_id: source.data_source_id,
    project_id: project.project_id,
    job_id: job.job_id,
    record_id: item.record_id,
    canonical_id: item.canonical_ids.find((id: string) => id.startsWith('ent_')),
  }
}

/** Waits until record linkage has processed the ingested records. */
async function untilCompared(call: Call, storage: string): Promise<void> {
  for (let waited = 0; waited < EXAMPLE_SECONDS * 1_000; waited += POLL_MS) {
    if ((await call('GET', `${storage}/entities?limit=1`)).body.resolution === 'settled') return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error('the things of the tenant were not compared in time')
}

/** Merges two people of one source by the account's decision. */
async function makeMerge(call: Call, storage: string, sourceId: string, word: string): Promise<string> {
  const participants = ['One', 'Other'].map((name) => ({ name: `${name} of ${word}` }))
  const record = { external_id: `people of ${word}`, type: 'message', text: `We of ${word} met.`, participants }
  const path = `${storage}/sources/${sourceId}/records`
  succeeded(await call('POST', path, { records: [record] }, { prefer: `wait=${EXAMPLE_SECONDS}` }), path)
  const find = async (name: string): Promise<string> => {
    const { body } = await call('GET', `${storage}/entities/search?q=${encodeURIComponent(`${name} of ${word}`)}`)
    return body.results[0].canonical_id
  }
  const merge = `${storage}/entities/${await find('One')}/merge`
  return succeeded(await call('POST', merge, { into: await find('Other') }), merge).merge_id
}

/** Creates a paused webhook, so that nothing changes without a request. */
async function makeWebhook(call: Call, path: string, word: string): Promise<string> {
  const url = `https://hooks.invalid/${word.replaceAll(' ', '-')}`
  const { webhook_id } = succeeded(await call('POST', path, { url, description: `Endpoint of ${word}` }), path)
  const one = `${path}/${webhook_id}`
  succeeded(await call('PATCH', one, { status: 'paused' }), one)
  return webhook_id
}

function recordOf(word: string) {
  return {
    external_id: `external id of ${word}`,
    type: `kind of ${word}`,
    title: `Title of ${word}`,
    text: `The author of ${word} wrote the text of ${word}.`,
    url: `https://example.com/${word.replaceAll(' ', '-')}`,
    author: { name: `Author of ${word}`, identifiers: { login: `login-of-${word.replaceAll(' ', '-')}` } },
    entities: [{ type: `sort of ${word}`, name: `Thing of ${word}`, properties: { note: `property of ${word}` } }],
    properties: { note: `property of ${word}` },
  }
}

function succeeded({ status, body }: Answer, path: string): Answer['body'] {
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(body)}`)
  return body
}

/** Fills every parameter of a path. */
export function filled(path: string, ids: Partial<Ids>): string {
  return path.replace(/:(\w+)/g, (_, name: string) => ids[name as Param] as string)
}

/** Returns the parameters of a path, in order. */
export function paramsOf(path: string): Param[] {
  return (path.match(/:\w+/g) ?? []).map((name) => name.slice(1) as Param)
}

/** Returns an id of the same form that does not exist. */
export function missingLike(id: string): string {
  return id.replace(/_.*$/, `_${'0'.repeat(ID_TAIL_CHARS)}`)
}
