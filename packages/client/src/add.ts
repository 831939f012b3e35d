import { CairnError } from './errors.ts'
import { openBlob, openPath } from './files.ts'
import type { Methods } from './generated/methods.ts'
import type { Accepted, IngestText, Job, SessionMessage, SessionMessages } from './generated/types.ts'
import type { CallOptions } from './request.ts'
import { sleep } from './sender.ts'

/**
 * Content that can be added: a text; a local file or folder, as `{ path }` or a `file:` URL; the content of a file, or
 * a form of files; or messages of a conversation. A plain string is never read as a path, because it may be untrusted
 * text.
 */
export type Added = string | { path: string } | URL | Blob | FormData | readonly SessionMessage[]

/** Fields that accompany the content, named as in the API. */
export type About = Partial<Omit<IngestText, 'text'> & Omit<SessionMessages, 'messages'>> & {
  sandbox_id?: string
  /** For a file or folder: name of the target source, created if it does not exist. */
  source_name?: string
}

/** A job failed, completely or partly. */
export class FailedJobError extends CairnError {
  override readonly name = 'FailedJobError'
  readonly job: Job

  constructor(job: Job) {
    super(job.error_message ?? `The job ${job.job_id} ended with the status ${job.status}.`)
    this.job = job
  }
}

/** Seconds that the service waits for a job before it replies; then the client polls again. */
const WAIT_SECONDS = 30
const FIRST_POLL_MS = 100
const POLL_MS_MAX = 2_000

/** Sends the content and waits until its job has ended. The content can then be queried. */
export async function add(client: Methods, what: Added, about: About, options: CallOptions): Promise<Job> {
  const patient = { waitSeconds: WAIT_SECONDS, ...options }
  return waitForJob(client, await sendContent(client, what, about, patient), about, options)
}

async function sendContent(client: Methods, what: Added, about: About, options: CallOptions): Promise<Accepted | Job> {
  if (typeof what === 'string') return client.ingest({ ...about, text: what }, options)
  if (Array.isArray(what)) {
    // A conversation without an id gets a random one; nothing can be added to it later.
    const session_id = about.session_id ?? crypto.randomUUID()
    return client.putMessages({ ...about, session_id, messages: [...what] }, options)
  }
  const file = await importFieldsOf(what as Exclude<Added, string | readonly SessionMessage[]>)
  return client.importKnowledge({ ...file, ...about } as Parameters<Methods['importKnowledge']>[0], options)
}

async function importFieldsOf(what: { path: string } | URL | Blob | FormData) {
  if (what instanceof FormData) return { content: what }
  if (what instanceof Blob) return openBlob(what)
  if (what instanceof URL || typeof what?.path === 'string') return openPath(what instanceof URL ? what : what.path)
  throw new CairnError('`add` takes a text, messages in a list, `{ path }`, a `file:` URL, a Blob or a form.')
}

/** Waits until the job has ended and returns it. Throws FailedJobError if it failed. */
export async function waitForJob(
  client: Methods,
  first: Accepted | Job,
  { sandbox_id }: { sandbox_id?: string },
  { signal }: CallOptions,
): Promise<Job> {
  let job = first as Job
  for (let waitMs = FIRST_POLL_MS; job.status === 'queued' || job.status === 'processing'; ) {
    await sleep(waitMs, signal)
    job = await client.getJob({ job_id: job.job_id, ...(sandbox_id && { sandbox_id }) }, { signal })
    waitMs = Math.min(POLL_MS_MAX, 2 * waitMs)
  }
  if (job.status !== 'completed') throw new FailedJobError(job)
  return job
}
