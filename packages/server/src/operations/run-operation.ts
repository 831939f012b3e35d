import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { lockFolder } from '../folder-lock.ts'
import { backUp, type Manifest } from './backup.ts'
import { formatOf } from './folder-format.ts'
import { restore } from './restore.ts'

const USAGE = `Use:
  cairn serve                       serve until a signal
  cairn backup FILE [--with-keys]   write the data folder to one file; stop the server first
  cairn restore FILE                create a data folder from a backup file
  cairn repair [--apply]            repair a database and storage of different times`

const MIB = 2 ** 20

/**
 * Runs a command on the configured data folder. Throws UsageError for an unknown command, and ConfigError for one that
 * cannot be executed.
 */
export async function runOperation(
  args: string[],
  config: Config,
  clock: Clock,
  print: (line: string) => void,
): Promise<void> {
  const { command, file, withKeys } = parse(args)
  if (command === 'help') return print(USAGE)
  if (config.databaseUrl !== null || config.storage.root.startsWith('s3:')) {
    throw new ConfigError(
      'A backup covers only embedded storage. Back up PostgreSQL with its own tools, and enable bucket versioning.',
    )
  }
  if (command === 'backup') return runBackup(config.folder, file, withKeys, clock, print)
  const manifest = await restore(file, config.folder)
  print(`Restored ${sizeOf(manifest)} to ${config.folder}, as they were at ${manifest.made_at}.`)
  if (!manifest.files.some(({ path }) => path === 'master.key')) {
    print(`The backup contains no master key. Put it at ${join(config.folder, 'master.key')} or set CAIRN_MASTER_KEY.`)
  }
}

/** Thrown for invalid arguments. Its message lists the commands. */
export class UsageError extends Error {
  override name = 'UsageError'
}

async function runBackup(
  folder: string,
  file: string,
  withKeys: boolean,
  clock: Clock,
  print: (line: string) => void,
): Promise<void> {
  if (!existsSync(folder) || formatOf(folder) === undefined) {
    throw new ConfigError(`${folder} is not a data folder of Cairn. Set CAIRN_DATA to one.`)
  }
  const lock = await lockFolder(folder)
  try {
    const manifest = await backUp(folder, file, withKeys, clock)
    print(`Wrote ${sizeOf(manifest)} of ${folder} to ${file}.`)
    const keys = 'The master key is not in it. Keep a copy elsewhere: without it, encrypted data cannot be read.'
    print('Data in customers’ buckets is not in it.')
    print(withKeys ? 'The keys are in it: anyone with the file can read everything.' : keys)
  } finally {
    await lock.release()
  }
}

function parse(args: string[]): { command: 'backup' | 'restore' | 'help'; file: string; withKeys: boolean } {
  const options = {
    'with-keys': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const
  const usageError = (cause?: unknown) => new UsageError(USAGE, { cause })
  let parsed: ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>
  try {
    parsed = parseArgs({ args, options, allowPositionals: true })
  } catch (cause) {
    throw usageError(cause)
  }
  const [command, file, ...rest] = parsed.positionals
  const { 'with-keys': withKeys, help } = parsed.values
  if (help) return { command: 'help', file: '', withKeys: false }
  const isKnown = command === 'backup' || (command === 'restore' && !withKeys)
  if (!isKnown || file === undefined || rest.length > 0) throw usageError()
  return { command, file: resolve(file), withKeys }
}

function sizeOf({ files }: Manifest): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return `${files.length} files (${(bytes / MIB).toFixed(1)} MiB)`
}
