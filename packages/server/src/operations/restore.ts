import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Parser, type ReadEntry } from 'tar'
import { ConfigError } from '../config/config-error.ts'
import { MANIFEST_NAME, type Manifest, parseManifest } from './backup.ts'
import { FOLDER_FORMAT, moveInto, syncPath } from './folder-format.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Maximum size of the manifest in bytes. It suffices for several hundred thousand files. */
const MANIFEST_BYTES_MAX = 64 * 1024 * 1024

/**
 * Restores a data folder from a backup, completely or not at all. The backup is unpacked and verified next to the
 * folder, and then renamed. Throws ConfigError for a folder that is not empty, and for an archive that is not a
 * complete backup.
 */
export async function restore(archive: string, folder: string): Promise<Manifest> {
  if (!existsSync(archive)) throw new ConfigError(`The file ${archive} does not exist.`)
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new ConfigError(`${folder} is not empty; a backup is restored into a new folder. Set CAIRN_DATA to one.`)
  }
  mkdirSync(dirname(folder), { recursive: true })
  const unfinished = `${folder}.${randomBytes(4).toString('hex')}.unfinished`
  try {
    const manifest = await unpack(archive, unfinished)
    for (const path of ['.', ...manifest.folders]) syncPath(join(unfinished, path))
    if (existsSync(folder)) rmdirSync(folder)
    moveInto(unfinished, folder)
    return manifest
  } catch (cause) {
    rmSync(unfinished, { recursive: true, force: true })
    if (cause instanceof ConfigError) throw cause
    throw new ConfigError(`${archive} is not a complete Cairn backup; nothing was restored.`, { cause })
  }
}

class DamagedBackup extends Error {
  override name = 'DamagedBackup'
}

async function unpack(archive: string, folder: string): Promise<Manifest> {
  const unpacking = new Unpacking(folder)
  const parser = new Parser({
    strict: true,
    // Database log files are mostly empty, so their compression ratio would exceed any useful limit.
    maxDecompressionRatio: Number.POSITIVE_INFINITY,
    onReadEntry: (entry) => unpacking.take(entry),
  })
  try {
    await pipeline(createReadStream(archive), parser as unknown as NodeJS.WritableStream)
    return unpacking.finish()
  } finally {
    unpacking.close()
  }
}

/** Destination of one entry's bytes. */
interface Sink {
  add(chunk: Buffer): void
  end(): void
}

/** Writes the entries of an archive in order: the manifest, then each listed file once, synchronously. */
class Unpacking {
  readonly #folder: string
  #manifest: Manifest | undefined
  #expected = new Map<string, Manifest['files'][number]>()
  #file: number | undefined
  #failure: unknown

  constructor(folder: string) {
    this.#folder = folder
  }

  take(entry: ReadEntry): void {
    const sink = this.#attempt(() => (this.#manifest === undefined ? this.#manifestSink(entry) : this.#fileSink(entry)))
    entry.on('end', () => this.#attempt(() => sink?.end()))
    entry.on('data', (chunk) => this.#attempt(() => sink?.add(chunk)))
  }

  /** Runs `act`. After the first failure, the rest of the archive is ignored. */
  #attempt<T>(act: () => T): T | undefined {
    if (this.#failure !== undefined) return undefined
    try {
      return act()
    } catch (cause) {
      this.#failure = cause
      return undefined
    }
  }

  #manifestSink(entry: ReadEntry): Sink {
    if (entry.path !== MANIFEST_NAME || entry.size > MANIFEST_BYTES_MAX)
      throw new DamagedBackup('the manifest is missing')
    const chunks: Buffer[] = []
    return { add: (chunk) => void chunks.push(chunk), end: () => this.#begin(parseManifest(Buffer.concat(chunks))) }
  }

  #begin(manifest: Manifest | undefined): void {
    if (manifest === undefined) throw new DamagedBackup('the manifest is invalid')
    if (manifest.folder_format > FOLDER_FORMAT) {
      throw new ConfigError(
        `The backup has format ${manifest.folder_format}, which a newer Cairn wrote; this one knows ${FOLDER_FORMAT}.`,
      )
    }
    this.#manifest = manifest
    for (const file of manifest.files) this.#expected.set(file.path, file)
    mkdirSync(this.#folder, { mode: FOLDER_MODE })
    for (const path of manifest.folders) mkdirSync(join(this.#folder, path), { mode: FOLDER_MODE })
  }

  #fileSink(entry: ReadEntry): Sink {
    const expected = this.#expected.get(entry.path)
    if (expected === undefined || entry.type !== 'File') throw new DamagedBackup('an entry is not in the manifest')
    this.#expected.delete(entry.path)
    const file = openSync(join(this.#folder, expected.path), 'wx', FILE_MODE)
    this.#file = file
    const hash = createHash('sha256')
    let bytes = 0
    return {
      add: (chunk) => {
        bytes += chunk.length
        hash.update(chunk)
        writeFileSync(file, chunk)
      },
      end: () => {
        if (bytes !== expected.bytes || hash.digest('hex') !== expected.sha256)
          throw new DamagedBackup('a file was modified')
        fsyncSync(file)
        this.#closeFile()
      },
    }
  }

  finish(): Manifest {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#manifest === undefined) throw new DamagedBackup('the manifest is missing')
    if (this.#expected.size > 0) throw new DamagedBackup('a file is missing')
    return this.#manifest
  }

  close(): void {
    this.#failure ??= new DamagedBackup('the archive was closed early')
    this.#closeFile()
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}
