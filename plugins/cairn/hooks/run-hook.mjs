// Functions shared by both hooks. They need only Node and never block an agent: a failure prints one line on stderr.

const TIMEOUT_MS = 8_000
const ID = /^sbx_\w+$/
const { CAIRN_URL = 'http://127.0.0.1:8484', CAIRN_API_KEY, CAIRN_SANDBOX = '', CAIRN_ENCRYPTION_KEY } = process.env

/**
 * Calls the configured service. Throws unless the call succeeds.
 * @param {'storage' | 'query'} plane
 * @param {string} verb of the sandbox
 * @param {object} body
 * @returns {Promise<any>}
 */
async function ask(plane, verb, body) {
  const address = `${CAIRN_URL.replace(/\/$/, '')}/api/v1/${plane}/sandboxes/${CAIRN_SANDBOX}/${verb}`
  const reply = await fetch(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${CAIRN_API_KEY}`,
      'content-type': 'application/json',
      ...(CAIRN_ENCRYPTION_KEY && { 'x-encryption-key': CAIRN_ENCRYPTION_KEY }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!reply.ok) throw new Error(`${address} answered ${reply.status}`)
  return reply.json()
}

/**
 * Runs a hook with the host's input from standard input.
 * @param {(told: Record<string, any>, ask: typeof ask) => Promise<void>} work
 */
export async function runHook(work) {
  try {
    const input = Buffer.concat(await process.stdin.toArray()).toString()
    if (!CAIRN_API_KEY || !ID.test(CAIRN_SANDBOX)) throw new Error('CAIRN_API_KEY and CAIRN_SANDBOX are not set')
    await work(JSON.parse(input), ask)
  } catch (error) {
    process.stderr.write(`cairn: ${error instanceof Error ? error.message : error}\n`)
  }
}
