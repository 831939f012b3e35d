// `node scripts/release.mjs v1.2.3`: fails unless every package that is published has this version, says where its
// repository is, which npm compares with the one that publishes it, and asks of the others what this one brings.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../', import.meta.url)
const read = (/** @type {string} */ path) => readFileSync(new URL(path, ROOT), 'utf8')

/** What is not as it must be for this tag, in words. @param {string} tag */
export function faultsOf(tag) {
  const version = tag.replace(/^v/, '')
  const faults = []
  for (const folder of readdirSync(new URL('packages', ROOT))) {
    const own = JSON.parse(read(`packages/${folder}/package.json`))
    if (own.private) continue
    if (own.version !== version) faults.push(`${own.name} has the version ${own.version}.`)
    if (own.repository === undefined) faults.push(`${own.name} does not say where its repository is.`)
    for (const [name, range] of Object.entries({ ...own.dependencies, ...own.peerDependencies })) {
      const isOwn = name.startsWith('@cairnstore/')
      if (isOwn && range !== `^${version}`) faults.push(`${own.name} asks for ${name} ${range}.`)
    }
  }
  const python = /^version = "(.+)"$/m.exec(read('clients/python/pyproject.toml'))?.[1]
  if (python !== version) faults.push(`clients/python has the version ${python}.`)
  return faults
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = faultsOf(process.argv[2] ?? '')
  process.stderr.write(faults.map((fault) => `${fault}\n`).join(''))
  process.exitCode = faults.length === 0 ? 0 : 1
}
