import type { CallOptions } from '@cairnstore/client'
import { type Job, operations } from '@cairnstore/contract'
import { call } from './call.ts'
import type { OperationInput } from './inputs.ts'
import type { OutputRow } from './output.ts'
import { type Progress, size } from './progress.ts'
import type { Settings } from './settings.ts'
import { untilEnded } from './watch.ts'

/** What is sent to be imported. It is opened anew when the service wants it later. */
export interface UploadContent {
  open(): AsyncIterable<Uint8Array>
  type: string
  /** The approximate size, shown as progress; undefined when it is unknown. */
  bytes: number | undefined
}

/** An import is slowed to the sandbox's rate, so that its answer may take hours: a day. */
const PATIENT: CallOptions = { timeoutMs: 86_400_000 }

/** Sends content to be imported, waits until it is taken in, and gives the job. Throws Failure when it is refused. */
export async function upload(
  asked: OperationInput,
  { open, type, bytes }: UploadContent,
  settings: Settings,
  { progress, title }: { progress: Progress; title: string },
): Promise<Job> {
  const content = () => {
    progress.begin(`Sending ${title}`, bytes, size)
    return counted(open(), bytes, progress, `Reading ${title}`)
  }
  const sent = await call(operations.importKnowledge, { ...asked, content, content_type: type }, settings, PATIENT)
  return finished(sent as OutputRow, asked, settings, progress)
}

/** The content, whose bytes are told as they go; once they are gone, the service reads them. */
async function* counted(
  content: AsyncIterable<Uint8Array>,
  bytes: number | undefined,
  progress: Progress,
  then: string,
): AsyncGenerator<Uint8Array> {
  let sent = 0
  for await (const part of content) {
    yield part
    sent += part.length
    if (bytes !== undefined) progress.reached(Math.min(sent, bytes))
  }
  progress.begin(then, undefined)
}

/** The job that a request began, when it has ended. */
export async function finished(
  sent: OutputRow,
  { sandbox_id }: OperationInput,
  settings: Settings,
  progress: Progress,
): Promise<Job> {
  const asked = { sandbox_id, job_id: sent.job_id }
  return (await untilEnded(sent, () => call(operations.getJob, asked, settings), progress)) as unknown as Job
}
