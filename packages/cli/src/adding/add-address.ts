import { type Job, operations, type Source, type SourcePage } from '@cairnstore/contract'
import { call } from '../call.ts'
import { type Options, toOperationInput } from '../inputs.ts'
import { type OutputRow, usageFailure } from '../output.ts'
import type { Progress } from '../progress.ts'
import type { Settings } from '../settings.ts'
import type { SkippedFile } from './find-files.ts'
import { waitForJob } from './import-batches.ts'

/** Seconds between two polls of a page or site: a day. */
const READ_EVERY_SECONDS = 86_400
const SITEMAP = /\.xml(?:\.gz)?$/i

/** Returns true for an operand that is an address and not a path. */
export function isAddress(operand: string): boolean {
  return /^https?:\/\//i.test(operand)
}

/** Context of adding files and addresses. */
export interface Adding {
  sandboxId: string
  options: Options
  settings: Settings
  progress: Progress
}

/** Adds a web page, or a site by its sitemap. The service reads it every day. If it was added before, reads it now. */
export async function addAddress(
  given: string,
  { sandboxId: sandbox_id, options, settings, progress }: Adding,
): Promise<{ job: Job; leftOut: SkippedFile[] }> {
  if (!URL.canParse(given)) throw usageFailure(`"${given}" is not an address.`)
  const typed = toOperationInput(operations.importKnowledge, [], options, ['sandbox_id'])
  if (typed.data_source_id !== undefined)
    throw usageFailure('--data-source-id cannot be combined with an address, which is a source of its own.')
  const url = new URL(given)
  url.hash = ''
  const config = { [SITEMAP.test(url.pathname) ? 'sitemap' : 'url']: url.href }
  const source_id = (await findSource(sandbox_id, config, settings)) ?? (await createSource())
  if (typed.project_id !== undefined)
    await call(operations.linkSource, { sandbox_id, project_id: typed.project_id, source_id }, settings)
  progress.begin(`Reading ${url.href}`, undefined)
  const sent = (await call(operations.pullSource, { sandbox_id, source_id }, settings)) as OutputRow
  const job = await waitForJob(sent, { sandbox_id }, settings, progress)
  const leftOut = (job.result?.errors ?? []).map(({ external_id: page = url.href, reason, detail }) => ({
    file: page,
    kind: 'web page',
    reason,
    detail,
  }))
  return { job, leftOut }

  async function createSource(): Promise<string> {
    const source = {
      provider: 'web',
      name: typed.source_name ?? `${url.host}${url.pathname}`.replace(/\/$/, ''),
      ingestion_mode: 'polling',
      poll_interval_seconds: READ_EVERY_SECONDS,
      adapter_config: config,
    }
    const made = (await call(operations.createSource, { sandbox_id, ...source }, settings)) as Source
    return made.data_source_id
  }
}

/** Returns the id of the source that already reads this address. */
async function findSource(
  sandbox_id: string,
  config: Record<string, string>,
  settings: Settings,
): Promise<string | undefined> {
  const { sources } = (await call(operations.listSources, { sandbox_id, provider: 'web' }, settings)) as SourcePage
  const [[key, address] = ['']] = Object.entries(config)
  const isRead = ({ status, adapter_config: own }: Source) =>
    status !== 'disconnected' && status !== 'archived' && (own as Record<string, unknown>)[key] === address
  return sources.find(isRead)?.data_source_id
}
