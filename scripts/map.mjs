// `npm run map`: draws in ARCHITECTURE.md which modules of the server and the engine import which. A test compares it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const PAGE = join(root, 'ARCHITECTURE.md')
const MAPPED = ['server', 'engine']
const [OPENS, ENDS] = ['<!-- npm run map -->\n', '<!-- the map ends -->']

/** Returns the module of a file below `src/`; a file next to the modules counts as one. @param {string} path */
function roomOf(path) {
  const [, name = '', , room = '', below] = path.split('/')
  return name === 'engine' ? `engine/${room}` : below === undefined ? basename(room, '.ts') : room
}

/** Returns the modules that a file imports. @param {string} path */
function roomsImported(path) {
  const text = readFileSync(join(root, path), 'utf8')
  const names = [...text.matchAll(/\bfrom '([^']+)'|\bimport\('([^']+)'\)/g)].map(
    ([, one, other]) => one ?? other ?? '',
  )
  return names.flatMap((name) => {
    if (name.startsWith('@cairnstore/engine/')) return [name.replace('@cairnstore/', '')]
    return name.startsWith('.') ? [roomOf(normalize(join(dirname(path), name)))] : []
  })
}

/** Returns the map as shown on the page: each module after those that it imports. */
function drawMap() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'packages/*.ts'], {
    cwd: root,
  })
  const isMapped = (/** @type {string} */ path) =>
    MAPPED.some((name) => path.startsWith(`packages/${name}/src/`)) &&
    !path.includes('.test.') &&
    existsSync(join(root, path))
  /** @type {Map<string, Set<string>>} */
  const rooms = new Map()
  for (const path of String(listed).split('\n').filter(isMapped)) {
    const room = roomOf(path)
    const seen = rooms.get(room) ?? new Set()
    rooms.set(room, seen)
    for (const other of roomsImported(path)) if (other !== room) seen.add(other)
  }
  const ordered = [...rooms.keys()].sort()
  /** @type {string[]} */
  const drawn = []
  while (drawn.length < ordered.length) {
    const next = ordered.find(
      (room) => !drawn.includes(room) && [...(rooms.get(room) ?? [])].every((each) => drawn.includes(each)),
    )
    if (!next)
      throw new Error(`These rooms import each other: ${ordered.filter((room) => !drawn.includes(room)).join(', ')}`)
    drawn.push(next)
  }
  const line = (/** @type {string} */ room) =>
    `${room.padEnd(20)}← ${drawn.filter((each) => rooms.get(room)?.has(each)).join(', ')}`.trimEnd()
  return ['```', ...drawn.map(line), '```', ''].join('\n')
}

/** Returns ARCHITECTURE.md with the current map. */
export function pageWithMap() {
  const page = readFileSync(PAGE, 'utf8')
  const [from, to] = [page.indexOf(OPENS) + OPENS.length, page.indexOf(ENDS)]
  return page.slice(0, from) + drawMap() + page.slice(to)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, pageWithMap())
