import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

const api = createClient<paths>({ baseUrl: 'http://127.0.0.1:8484', headers: { authorization: 'Bearer k' } })
const made = await api.POST('/api/v1/storage/sandboxes', { body: { name: 'Notes', owner_id: 'me' } })
if (!made.data) throw new Error(made.error.detail)
const path = { sandbox_id: made.data.sandbox_id }
const job = await api.POST('/api/v1/storage/sandboxes/{sandbox_id}/ingest', {
  params: { path, header: { Prefer: 'wait=10' } },
  body: { text: 'Priya moved the launch to 3 June.' },
})
if (!job.data) throw new Error(job.error.detail)
const found = await api.POST('/api/v1/query/sandboxes/{sandbox_id}/search', {
  params: { path },
  body: { query: 'When is the launch?' },
})
if (!found.data) throw new Error(found.error.detail)
const answer: string = found.data.answer
const citations: components['schemas']['InterpretCitation'][] = found.data.citations
const records = await api.GET('/api/v1/storage/sandboxes/{sandbox_id}/records', {
  params: { path, query: { limit: 5 } },
})
for (const { title } of records.data?.records ?? []) console.log(title, answer, citations.length)
