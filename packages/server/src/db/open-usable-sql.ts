import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseUnfit } from './migrate.ts'
import { openSql, type Sql, type SqlTarget } from './open.ts'

const MIB = 2 ** 20
/** Required free disk space in MiB: 40 for a new database, and 16 for each further log file. */
const FREE_MIB_MIN = 64

/** Opens the database and updates its tables. Throws DatabaseUnfit for any failure. */
export async function openUsableSql(target: SqlTarget): Promise<Sql> {
  try {
    return await openSql(target)
  } catch (cause) {
    if (cause instanceof DatabaseUnfit) throw cause
    throw new DatabaseUnfit(
      'folder' in target ? await describeFolderProblem(target.folder) : describeServerProblem(cause),
      { cause },
    )
  }
}

/** Explains why a folder cannot be opened. Examines the disk, because PGlite reports no cause. */
async function describeFolderProblem(folder: string): Promise<string> {
  const disk = await statfs(dirname(folder)).catch(() => undefined)
  const freeMib = disk && Math.floor((disk.bavail * disk.bsize) / MIB)
  if (freeMib !== undefined && freeMib < FREE_MIB_MIN) {
    return (
      `The database in ${folder} cannot be opened: its disk has ${freeMib} MiB free, but needs ${FREE_MIB_MIN} MiB. ` +
      'Free some space, or set CAIRN_DATA to a folder on another disk. No stored data is lost.'
    )
  }
  return (
    `The database in ${folder} cannot be opened: it is damaged, or this user cannot read and write all of it. ` +
    'Check its permissions, or restore CAIRN_DATA from a backup with `cairn restore`.'
  )
}

function describeServerProblem(cause: unknown): string {
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : 'it did not answer'
  return `The database of DATABASE_URL cannot be used: ${reason}. Start it, or set DATABASE_URL to another database.`
}
