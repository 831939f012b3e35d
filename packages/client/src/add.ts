import { CairnError } from './errors.ts'
import { openBlob, openPath } from './files.ts'
import type { Methods } from './generated/methods.ts'
import type { Accepted, IngestText, Job, SessionMessage, SessionMessages } from './generated/types.ts'
import type { CallOptions } from './request.ts'
import { sleep } from './sender.ts'

/**
 * What can be added: a text; a file or folder of this machine, as `{ path }` or a `file:` URL, never as a plain string,
 * which may be anybody's text; a file's content, or a form of files; messages of a conversation.
 */
export type Added = string | { path: string } | URL | Blob | FormData | readonly SessionMessage[]

/** The fields that go with what is added, named as in the API. */
export type About = Partial<Omit<IngestText, 'text'> & Omit<SessionMessages, 'messages'>> & {
  sandbox_id?: string
  /** For a file or folder: the source that it goes to, made when there is none of that name. */
  source_name?: string
}

/** The job did not end well, or not all of it. */
export class FailedJobError extends CairnError {
  override readonly name = 'FailedJobError'
  readonly job: Job

  constructor(job: Job) {
    super(job.error_message ?? `The job ${job.job_id} has ${job.status}.`)
    this.job = job
  }
}

/** How long the service itself waits for a job before it is asked again. */
const WAIT_SECONDS = 30
const FIRST_LOOK_MS = 100
const LOOK_MS_MAX = 2_000

/** Takes in what is given, and gives the job once it has ended: what it brought can then be asked for. */
export async function add(client: Methods, what: Added, about: About, options: CallOptions): Promise<Job> {
  const patient = { waitSeconds: WAIT_SECONDS, ...options }
  return ended(client, await sent(client, what, about, patient), about, options)
}

async function sent(client: Methods, what: Added, about: About, options: CallOptions): Promise<Accepted | Job> {
  if (typeof what === 'string') return client.ingest({ ...about, text: what }, options)
  if (Array.isArray(what)) {
    // A conversation that has no name of its own is one that nothing is added to later.
    const session_id = about.session_id ?? crypto.randomUUID()
    return client.putMessages({ ...about, session_id, messages: [...what] }, options)
  }
  const file = await fileOf(what as Exclude<Added, string | readonly SessionMessage[]>)
  return client.importKnowledge({ ...file, ...about } as Parameters<Methods['importKnowledge']>[0], options)
}

async function fileOf(what: { path: string } | URL | Blob | FormData) {
  if (what instanceof FormData) return { content: what }
  if (what instanceof Blob) return openBlob(what)
  if (what instanceof URL || typeof what?.path === 'string') return openPath(what instanceof URL ? what : what.path)
  throw new CairnError('`add` takes a text, messages in a list, `{ path }`, a `file:` URL, a Blob or a form.')
}

/** The job when it has ended; throws FailedJobError for one that failed. */
export async function ended(
  client: Methods,
  first: Accepted | Job,
  { sandbox_id }: { sandbox_id?: string },
  { signal }: CallOptions,
): Promise<Job> {
  let job = first as Job
  for (let waitMs = FIRST_LOOK_MS; job.status === 'queued' || job.status === 'processing'; ) {
    await sleep(waitMs, signal)
    job = await client.getJob({ job_id: job.job_id, ...(sandbox_id && { sandbox_id }) }, { signal })
    waitMs = Math.min(LOOK_MS_MAX, 2 * waitMs)
  }
  if (job.status !== 'completed') throw new FailedJobError(job)
  return job
}
