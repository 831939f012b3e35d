// What both hooks share. They need Node alone, and never keep an agent from working: what fails is one line on stderr.

const TIMEOUT_MS = 8_000
const ID = /^sbx_\w+$/
const { CAIRN_URL = 'http://127.0.0.1:8484', CAIRN_API_KEY, CAIRN_SANDBOX = '', CAIRN_ENCRYPTION_KEY } = process.env

/**
 * Asks the service of the environment. Throws for anything but a success.
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
 * Does what a hook does with what its host says on standard input.
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
