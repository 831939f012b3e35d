import { parse } from 'yaml'

/** A Markdown file, taken apart. */
interface MarkdownText {
  /** What its front matter says. */
  matter: Readonly<Record<string, unknown>>
  /** The text without the front matter. */
  body: string
  /** The text of its first heading of the first level. */
  heading: string | undefined
  /** What it links to by name, and by path. */
  wikiLinks: string[]
  paths: string[]
  /** Its `#tags`, without the sign. */
  tags: string[]
}

/** Front matter beyond this is a table of something else. */
const MATTER_CHARS_MAX = 64 * 1024
const LINKS_MAX = 500
const HEADING_CHARS_MAX = 500
/** Nothing is told of what is odd in it: the words would go to the log, and each costs time. */
const YAML = { schema: 'core', logLevel: 'error', prettyErrors: false } as const
const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}#[ \t]+(\S.*)$/
const CODE = /`[^`\n]*`/g
// "[[7]](#note-7)" is a footnote's mark: a link whose words stand in brackets.
const WIKI_LINK = /\[\[([^[\]|#\n]{1,256})(?:#[^[\]|\n]{0,256})?(?:\|[^[\]\n]{0,256})?\]\](?!\()/g
const LINK = /\]\(<?([^()\s<>]{1,1024}\.(?:md|markdown|mdx))(?:#[^()\s<>]{0,256})?>?(?:\s[^()\n]{0,256})?\)/gi
const TAG = /(?<![\p{L}\p{N}#/&])#([\p{L}][\p{L}\p{N}_/-]{0,63})/gu
const ELSEWHERE = /^[a-z][a-z\d+.-]*:/i

/**
 * Takes a Markdown file apart line by line, in time that grows with its length alone: what is linked and tagged
 * outside code, and its first heading.
 */
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
    paths: [...found.paths].filter((path) => !ELSEWHERE.test(path)),
    tags: [...found.tags],
  }
}

/** What a heading says, without the signs that may close it. */
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

/**
 * Whether front matter may nest deeper than anybody writes it: its parser calls itself at each level, and where the
 * stack ends the whole process can.
 */
function isDeep(matter: string): boolean {
  return (matter.match(/[[{]/g)?.length ?? 0) > OPENINGS_MAX || DEEP_LINE.test(matter)
}

const OPENINGS_MAX = 200
const DEEP_LINE = /^[ \t]{100}|(?:[-?:][ \t]+){50}/m

/** The front matter as values, and the text after it. What is no YAML stays part of the text. */
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
