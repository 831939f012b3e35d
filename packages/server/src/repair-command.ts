import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Clock, systemClock } from './base/clock.ts'
import { type Log, openLog } from './base/log.ts'
import type { Config } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import type { Secrets } from './config/secrets.ts'
import { openUsableSql } from './db/open-usable-sql.ts'
import { lockFolder } from './folder-lock.ts'
import { type RepairCounts, repair } from './lifecycle/repair/repair.ts'
import { type Closer, openPlanes } from './open-planes.ts'
import { countServing } from './store/cluster/cluster.ts'

const EXIT_BROKEN = 1

/** Arguments of `cairn repair`. */
export interface RepairArgs {
  apply: boolean
  whileServing: boolean
  erasedList: string | undefined
}

/** Parses the arguments of `cairn repair`. Returns undefined if they are invalid. */
export function parseRepair(args: string[]): RepairArgs | undefined {
  const options = {
    apply: { type: 'boolean', default: false },
    'while-serving': { type: 'boolean', default: false },
    erased: { type: 'string' },
  } as const
  try {
    const { values } = parseArgs({ args, options })
    return { apply: values.apply, whileServing: values['while-serving'], erasedList: values.erased }
  } catch {
    return undefined
  }
}

/**
 * Reconciles the database and the storage of this configuration (`repair`) and reports what it does. Throws ConfigError
 * while processes are serving, unless `whileServing` is set. Returns the exit status: 1 if a sandbox remains broken.
 */
export async function runRepair(
  config: Config,
  secrets: Secrets,
  repairArgs: RepairArgs,
  print: (line: string) => void,
): Promise<number> {
  const log = openLog(config.logLevel ?? 'warn', systemClock, (line) => void process.stderr.write(line))
  const lock = await lockFolder(config.folder)
  const closers: Closer[] = [() => lock.release()]
  try {
    const counts = await repairOpened(config, secrets, repairArgs, { print, log, clock: systemClock, closers })
    print(summaryOf(counts, repairArgs.apply))
    return counts.broken > 0 ? EXIT_BROKEN : 0
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

interface RepairContext {
  print: (line: string) => void
  log: Log
  clock: Clock
  closers: Closer[]
}

async function repairOpened(
  config: Config,
  secrets: Secrets,
  { apply, whileServing, erasedList }: RepairArgs,
  { print, log, closers }: RepairContext,
): Promise<RepairCounts> {
  const { databaseUrl: url, directUrl, databaseConnections: connectionsMax } = config
  const sql = await openUsableSql(url ? { url, directUrl, connectionsMax } : { folder: join(config.folder, 'sql') })
  closers.push(() => sql.close())
  // The folder's lock guarantees that no other process has the embedded database open.
  const serving = url ? await countServing(sql) : 0
  if (serving > 0 && !whileServing) {
    throw new ConfigError(
      `${serving} processes use this database. Stop them first: they could return data that is being erased. ` +
        '--while-serving continues anyway.',
    )
  }
  const planes = await openPlanes(config, secrets, { log, sql, isForRepair: true }, closers)
  return repair(planes, { apply, erasedList, report: print })
}

function summaryOf({ sound, adopted, erased, broken }: RepairCounts, isApplied: boolean): string {
  const done = `${sound} sound, ${adopted} adopted, ${erased} erased again, ${broken} still broken.`
  return isApplied ? `Sandboxes: ${done}` : `Nothing was changed. With --apply: ${done}`
}
