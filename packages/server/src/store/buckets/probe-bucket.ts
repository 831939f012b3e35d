import { randomUUID } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import { Fault } from '../../base/fault.ts'
import { findPullFailure, type PullFailureReason } from '../../base/pull-failure.ts'
import { type Bucket, endpointOf } from '../../tenancy/storage/bucket.ts'

/** The operations that Cairn needs from a bucket, in the order in which they are tested. */
type Step = 'put' | 'get' | 'range' | 'list' | 'conditional put' | 'delete'

/** Number of concurrent conditional writes to one name. At most one may succeed. */
const CONCURRENT_WRITES = 4
const OK = 200
const PARTIAL = 206
const NOT_FOUND = 404
const RANGE = { from: 6, to: 10 } as const

/** Explanations of failed requests, for people. */
const FAILURES: Partial<Record<PullFailureReason, string>> = {
  blocked_address: 'its address is in a private network',
  redirected: 'it answered with a redirect; check the region and the endpoint',
  timeout: 'it did not answer in time',
}

/**
 * Tests every operation that Cairn needs from a bucket, with temporary objects. Throws `storage_unfit` with the failed
 * step. A bucket on which one writer could overwrite another's object also fails.
 */
export async function probeBucket(bucket: Bucket, fetch: typeof globalThis.fetch): Promise<void> {
  const { place, access } = bucket
  const client = new AwsClient({ ...access, region: place.region, service: 's3', retries: 0 })
  const id = randomUUID()
  const folder = `${place.prefix && `${place.prefix}/`}.probe/${id}`
  const root = `${endpointOf(place)}/${place.bucket}`
  const written = new Set<string>()

  const ask = async (
    step: Step,
    method: string,
    path: string,
    more: { body?: string; headers?: Record<string, string> } = {},
  ) => {
    const signed = await client.sign(`${root}${path}`, { method, ...more })
    try {
      const answer = await fetch(signed.url, { method, headers: signed.headers, body: more.body ?? null })
      return { status: answer.status, text: await answer.text() }
    } catch (cause) {
      const reason = findPullFailure(cause)?.reason
      throw toUnfitFault(step, (reason && FAILURES[reason]) ?? 'it could not be reached')
    }
  }
  const askOk = async (...request: Parameters<typeof ask>) => {
    const answer = await ask(...request)
    if (isDone(answer.status)) return answer
    throw toUnfitFault(request[0], `it answered ${answer.status}${codeIn(answer.text)}`)
  }
  const at = (name: string) => `/${folder}/${name}`
  const put = (step: Step, name: string, body: string, isNew: boolean) => {
    written.add(name)
    return (isNew ? ask : askOk)(step, 'PUT', at(name), { body, ...(isNew && { headers: { 'if-none-match': '*' } }) })
  }

  try {
    const body = `probe ${id}`
    await put('put', 'plain', body, false)
    if ((await askOk('get', 'GET', at('plain'))).text !== body)
      throw toUnfitFault('get', 'it returned other bytes than were written')
    const range = { range: `bytes=${RANGE.from}-${RANGE.to}` }
    const part = await askOk('range', 'GET', at('plain'), { headers: range })
    if (part.status !== PARTIAL || part.text !== body.slice(RANGE.from, RANGE.to + 1)) {
      throw toUnfitFault('range', 'it did not return the requested part')
    }
    const listed = await askOk('list', 'GET', `?list-type=2&prefix=${encodeURIComponent(`${folder}/`)}`)
    if (!listed.text.includes(`${folder}/plain</Key>`)) throw toUnfitFault('list', 'it does not list a written object')
    await assertConditional((name, text) => put('conditional put', name, text, true))
    for (const name of [...written]) {
      await askOk('delete', 'DELETE', at(name))
      if ((await ask('delete', 'GET', at(name))).status !== NOT_FOUND)
        throw toUnfitFault('delete', 'it keeps a deleted object')
      written.delete(name)
    }
  } finally {
    await Promise.all([...written].map((name) => ask('delete', 'DELETE', at(name)).catch(() => undefined)))
  }
}

/** Throws unless the store rejects a conditional PUT to an existing name, also under concurrency. */
async function assertConditional(
  put: (name: string, text: string) => Promise<{ status: number; text: string }>,
): Promise<void> {
  const step = 'conditional put'
  const first = await put('once', 'first')
  if (!isDone(first.status)) throw toUnfitFault(step, `it answered ${first.status}${codeIn(first.text)}`)
  if (isDone((await put('once', 'second')).status)) throw toUnfitFault(step, 'it ignores If-None-Match')
  const writes = await Promise.all(Array.from({ length: CONCURRENT_WRITES }, (_, at) => put('raced', `rival ${at}`)))
  if (writes.filter(({ status }) => isDone(status)).length > 1) {
    throw toUnfitFault(step, 'it accepted more than one of several concurrent writes with If-None-Match')
  }
}

function isDone(status: number): boolean {
  return status >= OK && status < OK + 100
}

/** Returns the S3 error code of a response. The rest of the response is not shown. */
function codeIn(text: string): string {
  const code = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(text)?.[1]
  return code ? ` (${code})` : ''
}

function toUnfitFault(step: Step, reason: string): Fault {
  const msg = `The object store cannot be used. The step “${step}” failed: ${reason}.`
  const problem = { loc: ['body', 'storage'], msg, type: `storage_${step.replace(' ', '_')}` }
  return new Fault('storage_unfit', { detail: msg, problems: [problem] })
}
