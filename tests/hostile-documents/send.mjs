/**
 * @typedef {{ failed: number, errors: { reason: string }[] }} Counts
 * @typedef {{ job_id?: string, status?: string, reason?: string, error?: string, result?: Counts }} Job
 */
const POLL_MS = 100
const RETRY_MS = 500
const BUSY = [429, 503]

/**
 * Sends a document, retries while the service is busy, and resolves with the outcome: `read`, a reason of its job, or
 * the reason of a rejection. Throws for any other response.
 * @param {{ url: string, apiKey: string }} service
 * @param {string} storage
 * @param {{ name: string, bytes: Uint8Array }} document
 */
export async function sendDocument({ url, apiKey }, storage, { name, bytes }) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/octet-stream', prefer: 'wait=60' }
  for (;;) {
    const path = `${url}${storage}/import?path=${encodeURIComponent(name)}`
    const reply = await fetch(path, { method: 'POST', headers, body: new Uint8Array(bytes) })
    /** @type {Job} */
    let job = /** @type {any} */ (await reply.json())
    if (BUSY.includes(reply.status)) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      continue
    }
    if (reply.status >= 400 && reply.status < 500) return String(job.reason ?? job.error)
    if (!reply.ok) throw new Error(`${name} was answered with ${reply.status}: ${JSON.stringify(job)}`)
    while (job.status !== 'completed' && job.status !== 'failed') {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      job = /** @type {any} */ (await (await fetch(`${url}${storage}/ingest/${job.job_id}`, { headers })).json())
    }
    if (job.status === 'failed') return 'failed'
    const [error] = job.result?.errors ?? []
    return (job.result?.failed ?? 0) > 0 ? (error?.reason ?? 'failed') : 'read'
  }
}
