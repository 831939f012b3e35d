import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PAGES as GUIDE_PAGES } from '../../guide/pages.mjs'

const ROOT = join(import.meta.dirname, '../..')
const FENCE = /^```(\S*)\n([\s\S]*?)^```$/gm
const REMARK = /^<!-- (.+) -->$/
/** What a remark before a snippet says of it, and one anywhere of its page. */
const [NOT_RUN, RUN_BY, PRINTED, AT_START, GOES_ON] = [
  'not run: ',
  'run by ',
  'printed',
  'printed at the start',
  'goes on from ',
]

/** The page that others go on from where they say nothing: a reader has done what it shows. */
export const FIRST_PAGE = 'README.md'
/** What is shown as it is told, and what a shell or a program of the page runs. */
const SHOWN = ['haproxy', 'json', 'nginx', 'text', 'yaml']
const RUN = ['js', 'python', 'sh', 'ts']

/** A block of code of a page. */
export interface Snippet {
  /** Its page and line, as an editor opens it. */
  at: string
  language: string
  code: string
  /** Why it is not run with its page; undefined where it is. */
  notRun?: string
  /** The file that runs it. */
  runBy?: string
  /** Whether the snippet before it, or the start of the service, must print it. */
  printed?: 'before' | 'at the start'
}

/** A page, and what it shows. */
export interface Page {
  path: string
  /** The page whose environment it goes on in. */
  goesOnFrom: string
  snippets: Snippet[]
}

/** The page at a path, from the root of the repository. Throws for a remark that nobody knows. */
export function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const remarks = (of: string) => of.split('\n').flatMap((line) => REMARK.exec(line)?.[1] ?? [])
  const goesOnFrom = remarks(text).find((remark) => remark.startsWith(GOES_ON))
  const snippets = [...text.matchAll(FENCE)].map(({ index, 1: language = '', 2: code = '' }): Snippet => {
    const before = text.slice(0, index)
    const at = `${path}:${before.split('\n').length}`
    const own = remarks(/(?:<!-- .+ -->\n)*$/.exec(before)?.[0] ?? '')
    return { at, language, code, ...told(own, at) }
  })
  return { path, goesOnFrom: goesOnFrom?.slice(GOES_ON.length) ?? FIRST_PAGE, snippets }
}

function told(remarks: readonly string[], at: string): Partial<Snippet> {
  const said: Partial<Snippet> = {}
  for (const remark of remarks) {
    if (remark.startsWith(NOT_RUN)) said.notRun = remark.slice(NOT_RUN.length)
    else if (remark.startsWith(RUN_BY)) said.runBy = remark.slice(RUN_BY.length)
    else if (remark === PRINTED) said.printed = 'before'
    else if (remark === AT_START) said.printed = 'at the start'
    else if (!remark.startsWith(GOES_ON)) throw new Error(`${at}: nobody knows "${remark}".`)
  }
  return said
}

/** Whether a snippet is run with its page. */
export function isRun({ language, notRun, runBy }: Snippet): boolean {
  return RUN.includes(language) && notRun === undefined && runBy === undefined
}

/** What of a snippet is not as it must be, in words. */
export function faultsOf({ at, language, code, runBy }: Snippet): string[] {
  if (![...SHOWN, ...RUN].includes(language)) return [`${at}: it says no language that is known.`]
  if (language === 'json' && !isJson(code)) return [`${at}: it is no JSON.`]
  if (runBy === undefined) return []
  const program = flat(readFileSync(join(ROOT, runBy), 'utf8'))
  const [page = ''] = at.split(':')
  if (program.includes(page)) return []
  const missing = code.split('\n').filter((line) => !program.includes(flat(line)))
  return missing.map((line) => `${at}: ${runBy} does not have "${line}".`)
}

/** A program's text without what differs by where it stands: how deep, and in which folder. */
function flat(text: string): string {
  return text.replaceAll(/^\s+/gm, '').replaceAll(/'\.{1,2}\/(?:[^'/]+\/)*/g, "'./")
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Every page that a reader is shown, in an order in which each comes after the one that it goes on from. */
export function readPages(): Page[] {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`)
  const paths = new Set([FIRST_PAGE, ...GUIDE_PAGES.map(({ from }) => from), ...packages, 'clients/python/README.md'])
  const pages = [...paths].flatMap((path) => {
    try {
      return [readPage(path)]
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  })
  const rank = ({ path, goesOnFrom }: Page) => (path === FIRST_PAGE ? 0 : goesOnFrom === FIRST_PAGE ? 1 : 2)
  return pages.sort((one, other) => rank(one) - rank(other))
}
