// `node scripts/release.mjs v1.2.3 [REPOSITORY]`: fails unless every published package has this version and requires
// this version of the others. With the repository's address, which the release workflow passes, it adds the address to
// each package, because npm compares it with the publishing repository. These changes are not committed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../', import.meta.url)
const read = (/** @type {string} */ path) => readFileSync(new URL(path, ROOT), 'utf8')
const PYTHON = 'clients/python/pyproject.toml'

/** Returns the published packages by folder. @returns {Record<string, any>} */
function published() {
  const folders = readdirSync(new URL('packages', ROOT)).map((name) => `packages/${name}`)
  const all = folders.map((folder) => [folder, JSON.parse(read(`${folder}/package.json`))])
  return Object.fromEntries(all.filter(([, own]) => !own.private))
}

/** Returns the problems with this tag, in words. @param {string} tag */
export function faultsOf(tag) {
  const version = tag.replace(/^v/, '')
  const faults = []
  for (const own of Object.values(published())) {
    if (own.version !== version) faults.push(`${own.name} has the version ${own.version}.`)
    for (const [name, range] of Object.entries({ ...own.dependencies, ...own.peerDependencies })) {
      const isOwn = name.startsWith('@cairnstore/')
      if (isOwn && range !== `^${version}`) faults.push(`${own.name} asks for ${name} ${range}.`)
    }
  }
  const python = /^version = "(.+)"$/m.exec(read(PYTHON))?.[1]
  if (python !== version) faults.push(`clients/python has the version ${python}.`)
  return faults
}

/**
 * Returns the package.json files by path, with the repository's address added.
 * @param {string} repository web address of the repository
 * @returns {Record<string, string>}
 */
export function withRepository(repository) {
  const described = Object.entries(published()).map(([directory, own]) => {
    const place = { type: 'git', url: `git+${repository}.git`, directory }
    return [`${directory}/package.json`, `${JSON.stringify({ ...own, repository: place }, null, 2)}\n`]
  })
  const python = `${read(PYTHON).trimEnd()}\n\n[project.urls]\nRepository = "${repository}"\n`
  return { ...Object.fromEntries(described), [PYTHON]: python }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [tag = '', repository] = process.argv.slice(2)
  const faults = faultsOf(tag)
  process.stderr.write(faults.map((fault) => `${fault}\n`).join(''))
  process.exitCode = faults.length === 0 ? 0 : 1
  if (repository !== undefined) {
    for (const [path, text] of Object.entries(withRepository(repository))) writeFileSync(new URL(path, ROOT), text)
  }
}
