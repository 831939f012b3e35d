import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PAGES as GUIDE_PAGES } from '../../packages/server/src/http/guide/pages.ts'

const ROOT = join(import.meta.dirname, '../..')
const FENCE = /^```(\S*)\n([\s\S]*?)^```$/gm
const REMARK = /^<!-- (.+) -->$/
/** Prefixes of directives in HTML comments: four for a snippet, one for a whole page. */
const [NOT_RUN, RUN_BY, PRINTED, AT_START, GOES_ON] = [
  'not run: ',
  'run by ',
  'printed',
  'printed at the start',
  'goes on from ',
]

/** Page that others continue from by default. */
export const FIRST_PAGE = 'README.md'
/** Languages of snippets that are only shown; those of `RUN` are executed. */
const SHOWN = ['haproxy', 'json', 'nginx', 'text', 'yaml']
const RUN = ['js', 'python', 'sh', 'ts']

/** A block of code of a page. */
export interface Snippet {
  /** Page and line, in the form that editors open. */
  at: string
  language: string
  code: string
  /** Reason why it is not executed with its page; undefined if it is. */
  notRun?: string
  /** File that executes it. */
  runBy?: string
  /** Output that must contain it: of the previous snippet, or of the service's start. */
  printed?: 'before' | 'at the start'
}

/** A page with its snippets. */
export interface Page {
  path: string
  /** Page whose environment it continues. */
  goesOnFrom: string
  snippets: Snippet[]
}

/** Reads a page by its path from the repository root. Throws for an unknown directive. */
export function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const remarks = (of: string) => of.split('\n').flatMap((line) => REMARK.exec(line)?.[1] ?? [])
  const goesOnFrom = remarks(text).find((remark) => remark.startsWith(GOES_ON))
  const snippets = [...text.matchAll(FENCE)].map(({ index, 1: language = '', 2: code = '' }): Snippet => {
    const before = text.slice(0, index)
    const at = `${path}:${before.split('\n').length}`
    const own = remarks(/(?:<!-- .+ -->\n)*$/.exec(before)?.[0] ?? '')
    return { at, language, code, ...parseRemarks(own, at) }
  })
  return { path, goesOnFrom: goesOnFrom?.slice(GOES_ON.length) ?? FIRST_PAGE, snippets }
}

function parseRemarks(remarks: readonly string[], at: string): Partial<Snippet> {
  const parsed: Partial<Snippet> = {}
  for (const remark of remarks) {
    if (remark.startsWith(NOT_RUN)) parsed.notRun = remark.slice(NOT_RUN.length)
    else if (remark.startsWith(RUN_BY)) parsed.runBy = remark.slice(RUN_BY.length)
    else if (remark === PRINTED) parsed.printed = 'before'
    else if (remark === AT_START) parsed.printed = 'at the start'
    else if (!remark.startsWith(GOES_ON)) throw new Error(`${at}: unknown remark "${remark}".`)
  }
  return parsed
}

/** Returns true if a snippet is executed with its page. */
export function isRun({ language, notRun, runBy }: Snippet): boolean {
  return RUN.includes(language) && notRun === undefined && runBy === undefined
}

/** Returns the faults of a snippet, in words. */
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

/** Normalizes indentation and the folders of relative imports, to compare programs. */
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

/** Returns all documentation pages, each after the page that it continues. */
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
