import { plainLine } from '@cairnstore/engine/text'
import { parse } from 'yaml'
import { createYieldPoint } from '../../../base/yield-point.ts'
import { moment, pick, present, text } from '../pick.ts'
import { type Entity, entity, type MappedRecord, toRecord } from '../to-record.ts'

const MARKDOWN = /\.(?:md|markdown|mdx|txt)$/i
/** Front matter fields that are stored in fields of the record. Others become properties. */
const KNOWN = new Set(['title', 'date', 'created', 'published', 'author', 'authors', 'aliases', 'alias', 'tags', 'url'])

/** Returns true for the file name of a note: Markdown, or plain text that may have Markdown links. */
export function isNote(name: string): boolean {
  return MARKDOWN.test(name)
}

/** File path by linked name: the file name without extension, case-insensitive. */
export type PathsByName = ReadonlyMap<string, string>

/** Milliseconds of work between yields to the event loop. */
const SLICE_MS = 5

/** Returns the path of each note by its name. Among notes with the same name, the one nearest to the root wins. */
export async function pathsByName(paths: readonly string[]): Promise<PathsByName> {
  const yieldPoint = createYieldPoint(SLICE_MS)
  const byName = new Map<string, { path: string; depth: number }>()
  for (const path of paths.filter(isNote)) {
    const depth = depthOf(path)
    for (const key of [keyOf(stemOf(path)), keyOf(bareOf(path))]) {
      const other = byName.get(key)
      const isBefore = !other || depth < other.depth || (depth === other.depth && path < other.path)
      if (isBefore) byName.set(key, { path, depth })
    }
    await yieldPoint()
  }
  return new Map([...byName].map(([key, { path }]) => [key, path]))
}

function depthOf(path: string): number {
  return path.split('/').length
}

const ENDING = /(?<=.)\.[^.\s]{1,12}$/

/** Returns a path without its extension. */
function bareOf(path: string): string {
  return path.replace(MARKDOWN, '')
}

/** Returns the name of a file without its folder and extension. */
export function stemOf(path: string): string {
  return path.split('/').at(-1)!.replace(ENDING, '')
}

function keyOf(name: string): string {
  return name.trim().normalize('NFC').toLowerCase()
}

/** Returns the record of one document. Its external id is its path, so a changed file replaces the stored one. */
export function documentRecord(content: string, path: string, scope: string, paths: PathsByName): MappedRecord {
  const { matter, body, heading, wikiLinks, paths: linkedPaths, tags } = readMarkdown(content)
  const title = [text(matter, 'title'), heading].map((each) => plainLine(each ?? '')).find(Boolean) ?? stemOf(path)
  const aliases = [...strings(matter.aliases), ...strings(matter.alias), stemOf(path)]
  const own = documentEntity(path, scope, title, aliases)
  const links = [
    ...wikiLinks.map((name) =>
      linkTo(paths.get(keyOf(name)) ?? paths.get(keyOf(bareOf(name).split('/').at(-1)!)), name, scope),
    ),
    ...linkedPaths.map((target) => linkTo(paths.get(keyOf(bareOf(resolved(path, target)))), undefined, scope)),
  ]
  const topics = [...new Set([...strings(matter.tags).map((tag) => tag.replace(/^#/, '')), ...tags])]
  return toRecord({
    externalId: path,
    type: 'document',
    title,
    text: body.trim() || title,
    url: text(matter, 'url'),
    occurredAt: documentDay(path, heading, matter),
    author: people([...strings(matter.author), ...strings(matter.authors)])[0],
    participants: people([...strings(matter.author), ...strings(matter.authors)]).slice(1),
    entities: [own, ...topics.map((tag) => entity('topic', tag.replaceAll(/[-_/]/g, ' ')))],
    relations: present(links).map((object) => ({ subject: own, predicate: 'links_to', object })),
    properties: {
      ...Object.fromEntries(
        Object.entries(matter).flatMap(([key, value]) => (KNOWN.has(key) ? [] : [[key, shortValue(value)]])),
      ),
      path,
      folder: path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : undefined,
      tags: topics,
    },
  })
}

const MATTER_DAYS = ['date', 'created', 'published']
/** A date in a file name or a heading: "2026-03-10 standup", "20260310". */
const NAMED_DAY = /(?<!\d)((?:19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)/

/** Returns the date of a document from front matter, file name or heading, or else the front matter's last change. */
function documentDay(
  path: string,
  heading: string | undefined,
  matter: Readonly<Record<string, unknown>>,
): string | undefined {
  const stated = MATTER_DAYS.map((name) => moment(matter, name)).find(Boolean)
  return stated ?? dayIn(stemOf(path)) ?? dayIn(heading ?? '') ?? moment(matter, 'updated')
}

/** Returns the date in a name as an ISO timestamp. */
export function dayIn(name: string): string | undefined {
  const [, year, , month, day] = NAMED_DAY.exec(name) ?? []
  const at = year === undefined ? undefined : new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return at?.getUTCDate() === Number(day) ? at.toISOString() : undefined
}

/** Returns a document as an entity. Source and path identify it, because two folders may each have a `README.md`. */
export function documentEntity(
  path: string,
  scope: string,
  name: string,
  aliases: readonly string[] = [],
): Entity | undefined {
  return entity('document', name, { document: `${scope}/${path}` }, { aliases })
}

/** Returns the target of a link: a document, or a topic if no file has the name. */
function linkTo(path: string | undefined, name: string | undefined, scope: string): Entity | undefined {
  if (path) return documentEntity(path, scope, stemOf(path))
  return name === undefined ? undefined : entity('topic', name.split('/').at(-1))
}

/** Resolves a relative link against the path of its file. */
function resolved(from: string, link: string): string {
  const parts = link.startsWith('/') ? [] : from.split('/').slice(0, -1)
  for (const part of decoded(link).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.' && part !== '') parts.push(part)
  }
  return parts.join('/')
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}

function strings(value: unknown): string[] {
  const values = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  return values
    .flatMap((one) => (typeof one === 'string' ? one.trim() : (text(pick(one, 'name')) ?? [])))
    .filter(Boolean)
}

function people(names: readonly string[]): Entity[] {
  return present(
    names.map((name) => {
      const [, displayName, email] = /^([^<]*)<([^<>\s@]+@[^<>\s@]+)>$/.exec(name) ?? []
      return email
        ? entity('person', displayName?.trim() || email, { email: email.toLowerCase() })
        : entity('person', name)
    }),
  )
}

/** Returns a front matter value as a property; undefined for a text that is too long. */
function shortValue(value: unknown): unknown {
  return typeof value === 'string' && value.length > FIELD_CHARS_MAX ? undefined : value
}

const FIELD_CHARS_MAX = 2_000

/** The parts of a Markdown file. */
interface MarkdownText {
  /** The parsed front matter. */
  matter: Readonly<Record<string, unknown>>
  /** The text without the front matter. */
  body: string
  /** Text of its first level-1 heading. */
  heading: string | undefined
  /** Its links by name, and by path. */
  wikiLinks: string[]
  paths: string[]
  /** Its `#tags`, without the number sign. */
  tags: string[]
}

/** Maximum length of front matter in characters. */
const MATTER_CHARS_MAX = 64 * 1024
const LINKS_MAX = 500
const HEADING_CHARS_MAX = 500
/**
 * Warnings are off because each takes time and would be logged. The check for unique keys is off because its time is
 * quadratic in the number of keys. The last of several equal keys wins.
 */
const YAML = { schema: 'core', logLevel: 'error', prettyErrors: false, uniqueKeys: false } as const
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}#[ \t]+(\S.*)$/
const CODE = /`[^`\n]*`/g
// A wiki link. Excludes footnote marks such as "[[7]](#note-7)", which are links with bracketed text.
const WIKI_LINK = /\[\[([^[\]|#\n]{1,256})(?:#[^[\]|\n]{0,256})?(?:\|[^[\]\n]{0,256})?\]\](?!\()/g
const LINK = /\]\(<?([^()\s<>]{1,1024}\.(?:md|markdown|mdx))(?:#[^()\s<>]{0,256})?>?(?:\s[^()\n]{0,256})?\)/gi
const TAG = /(?<![\p{L}\p{N}#/&])#([\p{L}][\p{L}\p{N}_/-]{0,63})/gu
const ABSOLUTE_URL = /^[a-z][a-z\d+.-]*:/i

/** Parses a Markdown file in linear time: front matter, first heading, and the links and tags outside code. */
export function readMarkdown(text: string): MarkdownText {
  const { matter, body } = splitMatter(text)
  const found = { wikiLinks: new Set<string>(), paths: new Set<string>(), tags: new Set<string>() }
  let heading: string | undefined
  let fence: string | undefined
  for (const line of body.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      continue
    }
    if (mark) {
      fence = mark
      continue
    }
    heading ??= headingOf(line.slice(0, HEADING_CHARS_MAX))
    const plain = line.replace(CODE, ' ')
    collect(found.wikiLinks, plain.matchAll(WIKI_LINK))
    collect(found.paths, plain.matchAll(LINK))
    if (!line.startsWith('#')) collect(found.tags, plain.replace(/\]\([^)\]\s]*\)/g, ']').matchAll(TAG))
  }
  return {
    matter,
    body,
    heading,
    wikiLinks: [...found.wikiLinks],
    paths: [...found.paths].filter((path) => !ABSOLUTE_URL.test(path)),
    tags: [...found.tags],
  }
}

/** Returns the text of a heading without closing number signs. */
function headingOf(line: string): string | undefined {
  const text = HEADING.exec(line)?.[1]?.trim() ?? ''
  let end = text.length
  while (text[end - 1] === '#') end -= 1
  const isClosed = end === 0 || /\s/.test(text[end - 1]!)
  return (isClosed ? text.slice(0, end).trim() : text) || undefined
}

function collect(into: Set<string>, matches: Iterable<RegExpMatchArray>): void {
  for (const match of matches) if (into.size < LINKS_MAX) into.add(match[1]!.trim())
}

/** Returns true if front matter may be nested too deeply for the recursive YAML parser. */
function isDeep(matter: string): boolean {
  return (matter.match(/[[{]/g)?.length ?? 0) > OPENINGS_MAX || DEEP_LINE.test(matter)
}

const OPENINGS_MAX = 200
const DEEP_LINE = /^[ \t]{100}|(?:[-?:][ \t]+){50}/m

/** Returns the front matter as values, and the text after it. Invalid YAML stays part of the text. */
function splitMatter(text: string): { matter: Record<string, unknown>; body: string } {
  const found = /^---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/.exec(text.slice(0, MATTER_CHARS_MAX))
  const plain = { matter: {}, body: text.replaceAll('\r\n', '\n') }
  if (!found || isDeep(found[1]!)) return plain
  try {
    const matter: unknown = parse(found[1]!, { ...YAML, maxAliasCount: 16 })
    if (typeof matter !== 'object' || matter === null || Array.isArray(matter)) return plain
    return { matter: matter as Record<string, unknown>, body: text.slice(found[0].length).replaceAll('\r\n', '\n') }
  } catch {
    return plain
  }
}
