import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

// Caches compiler output by the hash of its input. Most threads and processes of the tests load the same sources, and
// loading the compiler takes longer than compiling.
const CACHE = new URL('../../node_modules/.cache/cairn-sources/', import.meta.url)

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const text = await readFile(new URL(url), 'utf8')
  const place = new URL(`${createHash('sha256').update(text).digest('hex')}.js`, CACHE)
  const source = await readFile(place, 'utf8').catch(() => compile(url, text, place))
  return { format: 'module', source, shortCircuit: true }
}

/** @param {string} url @param {string} text @param {URL} place @returns {Promise<string>} */
async function compile(url, text, place) {
  const { transformSync } = await import('rolldown/experimental')
  const { code } = transformSync(fileURLToPath(url), text)
  await mkdir(CACHE, { recursive: true })
  // Renaming is atomic, so concurrent readers see the file only when it is complete.
  const unfinished = new URL(`${place.href}.${randomUUID()}`)
  await writeFile(unfinished, code)
  await rename(unfinished, place)
  return code
}
