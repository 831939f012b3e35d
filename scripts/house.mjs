// `npm run house`: counts the contents of each module with a TypeScript parser: files, lines, regular expressions,
// top-level constants, lexicon entries. With `-- keep` it writes the counts to tests/house.json; a test fails if any
// count exceeds them.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

const root = fileURLToPath(new URL('../', import.meta.url))
const KEPT = join(root, 'tests/house.json')
const TINY_LINES_MAX = 20
const NAMES_SHOWN = 12
const FEW_FILES = 2
/** Packages whose modules are counted separately. */
const WITH_ROOMS = ['engine', 'server']
/** Packages that do not count toward the product's size limit. */
const BESIDE = ['client', 'encoder', 'console']

/** @typedef {{ files: number, lines: number, regexes: number, constants: number, entries: number }} Counts */

/** Returns the product's files without tests and generated files. */
function productFiles() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'packages'], {
    cwd: root,
  })
  const isCounted = (/** @type {string} */ path) =>
    /^packages\/[^/]+\/src\/.*\.(?:ts|tsx|js|json)$/.test(path) && !/\.test\.|\/generated\//.test(path)
  return String(listed)
    .split('\n')
    .filter((path) => isCounted(path) && existsSync(join(root, path)))
}

/** Returns the module of a file: its package and, in a large package, its first folder. @param {string} path */
function roomOf(path) {
  const [, name = '', , room = '', below] = path.split('/')
  return WITH_ROOMS.includes(name) ? `${name}/${below === undefined ? '.' : room}` : name
}

/** @param {string} path @param {string} text @returns {Counts} */
function countsOf(path, text) {
  const lines = text.split('\n').length - 1
  const none = { files: 1, lines, regexes: 0, constants: 0, entries: 0 }
  if (path.endsWith('.json'))
    return { ...none, lines: 0, entries: path.includes('/lexicon/') ? entriesIn(JSON.parse(text)) : 0 }
  let regexes = 0
  const look = (/** @type {unknown} */ node) => {
    if (typeof node !== 'object' || node === null) return
    if ('regex' in node) regexes += 1
    for (const each of Object.values(node)) look(each)
  }
  const { body } = parsed(path, text)
  look(body)
  return { ...none, regexes, constants: body.reduce((sum, each) => sum + constantsIn(each), 0) }
}

/** @param {string} path @param {string} text */
function parsed(path, text) {
  return parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : path.endsWith('.js') ? 'js' : 'ts' })
}

/** @typedef {ReturnType<typeof parsed>['body'][number]} Statement */

/** Returns the declaration of a statement, exported or not. @param {Statement} statement */
function declaredBy(statement) {
  return statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
}

/** Counts the constants that a module-level statement declares, without functions. @param {Statement} statement */
function constantsIn(statement) {
  const declared = declaredBy(statement)
  if (declared?.type !== 'VariableDeclaration') return 0
  const isFunction = (/** @type {string | undefined} */ type) =>
    type === 'ArrowFunctionExpression' || type === 'FunctionExpression'
  return declared.declarations.filter(({ init }) => !isFunction(init?.type)).length
}

/** Counts the entries of a lexicon list, which are separated by commas. @param {unknown} value @returns {number} */
function entriesIn(value) {
  if (typeof value === 'string') return value.split(', ').length
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum, each) => sum + entriesIn(each), 0)
}

/** Returns the counts of each module. @returns {Record<string, Counts>} */
export function countRooms() {
  /** @type {Record<string, Counts>} */
  const rooms = {}
  for (const path of productFiles()) {
    const own = countsOf(path, readFileSync(join(root, path), 'utf8'))
    const name = roomOf(path)
    const room = rooms[name] ?? { files: 0, lines: 0, regexes: 0, constants: 0, entries: 0 }
    rooms[name] = room
    for (const each of /** @type {(keyof Counts)[]} */ (Object.keys(own))) room[each] += own[each]
  }
  return Object.fromEntries(Object.entries(rooms).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Returns the maximum counts of each module. @returns {Record<string, Counts>} */
export function keptRooms() {
  return JSON.parse(readFileSync(KEPT, 'utf8'))
}

/** Prints short files with a single importer, and type names that several files declare. */
function printHabits() {
  const files = productFiles().filter((path) => !path.endsWith('.json'))
  /** @type {Map<string, Set<string>>} */
  const importers = new Map()
  /** @type {Map<string, Set<string>>} */
  const named = new Map()
  const note = (/** @type {typeof named} */ map, /** @type {string} */ key, /** @type {string} */ path) =>
    map.set(key, (map.get(key) ?? new Set()).add(path))
  for (const path of files) {
    for (const statement of parsed(path, readFileSync(join(root, path), 'utf8')).body) {
      const from = 'source' in statement ? statement.source?.value : undefined
      if (from) note(importers, normalize(join(dirname(path), from)), path)
      const declared = declaredBy(statement)
      const isType = declared?.type === 'TSInterfaceDeclaration' || declared?.type === 'TSTypeAliasDeclaration'
      if (isType) note(named, declared.id.name, path)
    }
  }
  const isTiny = (/** @type {string} */ path) =>
    readFileSync(join(root, path), 'utf8').split('\n').length - 1 <= TINY_LINES_MAX
  const tiny = files.filter((path) => importers.get(path)?.size === 1 && isTiny(path))
  const shared = [...named]
    .filter(([, places]) => places.size > FEW_FILES)
    .sort((one, other) => other[1].size - one[1].size)
  console.log(`\n${tiny.length} files of at most ${TINY_LINES_MAX} lines that one file imports`)
  const most = shared.slice(0, NAMES_SHOWN).map(([name, places]) => `${name} ×${places.size}`)
  console.log(`${shared.length} names of types in more than ${FEW_FILES} files: ${most.join(', ')}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rooms = countRooms()
  /** @param {string} name @param {Counts} counts */
  const print = (name, { files, lines, regexes, constants, entries }) =>
    console.log(
      name.padEnd(24),
      ...[files, lines, regexes, constants, entries].map((count) => String(count).padStart(9)),
    )
  console.log(
    'room'.padEnd(24),
    ...['files', 'lines', 'regexes', 'constants', 'entries'].map((name) => name.padStart(9)),
  )
  const total = { files: 0, lines: 0, regexes: 0, constants: 0, entries: 0 }
  for (const [name, counts] of Object.entries(rooms)) {
    print(name, counts)
    if (BESIDE.includes(name)) continue
    for (const each of /** @type {(keyof Counts)[]} */ (Object.keys(total))) total[each] += counts[each]
  }
  print(`all but ${BESIDE.join(', ')}`, total)
  printHabits()
  if (process.argv[2] === 'keep') writeFileSync(KEPT, `${JSON.stringify(rooms, null, 2)}\n`)
}
