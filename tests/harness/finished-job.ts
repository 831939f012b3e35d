import type { Answer, Call } from './test-app.ts'

const POLL_MS = 25

/** Waits until a job has ended, and returns it. @param storage path of its sandbox in the storage API */
export async function finishedJob(call: Call, storage: string, jobId: string): Promise<Answer['body']> {
  for (;;) {
    const { body: job } = await call('GET', `${storage}/ingest/${jobId}`)
    if (!['queued', 'processing'].includes(job.status)) return job
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
