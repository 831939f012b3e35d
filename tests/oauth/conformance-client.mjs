// Client under test of the conformance suite: connects a running Cairn to a scenario's server and pulls from it.
// Usage: node tests/oauth/conformance-client.mjs SERVER_URL, with CAIRN_URL, CAIRN_API_KEY and CAIRN_STORAGE.
const [serverUrl = ''] = process.argv.slice(2)
const { CAIRN_URL: cairn = '', CAIRN_API_KEY: key = '', CAIRN_STORAGE: storage = '' } = process.env
const { client_id, client_secret } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const CONSENTS_MAX = 3
const POLL_MS = 100

/**
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
async function call(method, path, body) {
  const answer = await fetch(`${cairn}${storage}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const reply = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`)
  return reply
}

/**
 * Consents as a browser does and submits the callback URL.
 * @param {string} id
 * @param {string} url
 */
async function consent(id, url) {
  const { headers } = await fetch(url, { redirect: 'manual' })
  return call('POST', `/sources/${id}/user-mcp/authorize/complete`, { callback_url: headers.get('location') })
}

/** @param {string} id */
async function pull(id) {
  const { job_id: job } = await call('POST', `/sources/${id}/pull`, {})
  for (;;) {
    const { status } = await call('GET', `/ingest/${job}`)
    if (!['queued', 'processing'].includes(status)) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

const made = await call('POST', '/sources/user-mcp', {
  name: 'Conformance',
  base_url: serverUrl,
  auth_kind: 'oauth',
  ingestion_mode: 'manual',
  ingest_tool_calls: [{ tool: 'test-tool' }],
  ...(client_id && { client_id, client_secret }),
})
const id = made.data_source_id
let { authorization } = made
for (let consents = 0; consents < CONSENTS_MAX && authorization.state !== 'authorized'; consents += 1) {
  const url = authorization.url ?? (await call('POST', `/sources/${id}/user-mcp/authorize`, {})).authorization.url
  const done = await consent(id, url)
  if (done.authorization.state === 'authorized') await pull(id)
  authorization = (await call('GET', `/sources/${id}`)).authorization
}
if (authorization.state !== 'authorized') throw new Error(JSON.stringify(authorization))
