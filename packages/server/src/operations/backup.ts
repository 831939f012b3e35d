import { randomBytes } from 'node:crypto'
import { createWriteStream, existsSync, rmSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { Header, Pack, ReadEntry } from 'tar'
import type { Clock } from '../base/clock.ts'
import { ConfigError } from '../config/config-error.ts'
import { moveInto, syncPath } from './durable-file.ts'
import { MANIFEST_NAME, type Manifest, manifestOf } from './manifest.ts'

const OWNER_ONLY = 0o600

/**
 * Writes everything in a data folder to one new file, a gzipped tar that its manifest begins. The caller holds the
 * folder's lock. The file appears whole or not at all. Without `withKeys` what is sealed in it stays sealed.
 */
export async function backUp(folder: string, archive: string, withKeys: boolean, clock: Clock): Promise<Manifest> {
  if (existsSync(archive)) throw new ConfigError(`${archive} is there already; a backup replaces no file.`)
  const manifest = await manifestOf(folder, withKeys, clock.now())
  const unfinished = `${archive}.${randomBytes(4).toString('hex')}.unfinished`
  try {
    const pack = new Pack({ cwd: folder, gzip: true, portable: true, strict: true, noDirRecurse: true })
    pack.add(manifestEntry(manifest))
    for (const { path } of manifest.files) pack.add(path)
    pack.end()
    await pipeline(pack, createWriteStream(unfinished, { mode: OWNER_ONLY, flags: 'wx' }))
    syncPath(unfinished)
    moveInto(unfinished, archive)
  } catch (cause) {
    rmSync(unfinished, { force: true })
    throw cause
  }
  return manifest
}

function manifestEntry(manifest: Manifest): ReadEntry {
  const bytes = Buffer.from(JSON.stringify(manifest))
  const entry = new ReadEntry(new Header({ path: MANIFEST_NAME, mode: OWNER_ONLY, size: bytes.length, type: 'File' }))
  entry.end(bytes)
  return entry
}
