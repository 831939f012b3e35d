import { decodeText } from '../decode-text.ts'
import { type DocumentFile, type DocumentItem, markdownHeading, partsOf } from '../document.ts'
import { parseBoundedJson } from './read-values.ts'

/** Reads plain text and Markdown unchanged. */
export async function* readText({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  yield* textAs('text', decodeText(bytes))
}

/** Reads source code and configuration as fenced code blocks. */
export async function* readCode({ bytes, name }: DocumentFile): AsyncGenerator<DocumentItem> {
  const language = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  yield { kind: 'head', format: 'code', within: [], properties: { language } }
  for await (const part of partsOf([{ text: decodeText(bytes).trimEnd() }])) {
    const fence = `${'`'.repeat(longestFence(part.text) + 1)}`
    yield { ...part, text: `${fence}${language}\n${part.text}\n${fence}` }
  }
}

function longestFence(text: string): number {
  return Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((each) => each.length))
}

/** Reads reStructuredText and converts its headings to Markdown. */
export async function* readRestructured({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  const lines = decodeText(bytes).split('\n')
  const levels: string[] = []
  const output: string[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const [line = '', next = '', third = ''] = lines.slice(at, at + 3)
    const isOver = RULE.test(line) && next.trim() !== '' && third.trimEnd() === line.trimEnd()
    const isUnder =
      line.trim() !== '' && !RULE.test(line) && RULE.test(next) && next.trim().length >= line.trim().length
    if (isOver || isUnder) {
      const style = isOver ? `${line[0]}${line[0]}` : next[0]!
      if (!levels.includes(style)) levels.push(style)
      output.push(markdownHeading(levels.indexOf(style) + 1, isOver ? next : line))
      at += isOver ? 2 : 1
    } else if (!DIRECTIVE.test(line))
      output.push(line.replace(ROLE, '`$1`').replace(LITERAL, '`$1`').replace(ANCHOR, '[$1]($2)'))
  }
  yield* textAs('rst', output.join('\n'))
}

const RULE = /^([=\-~^"'`#*+.:_<>])\1{2,}\s*$/
const DIRECTIVE = /^\s*\.\. (?:_[^:]{1,200}:|[\w-]{1,60}::\s*$|\w+:$)/
const ROLE = /:[a-z:]{2,30}:`([^`\n]{1,300})`/g
const LITERAL = /``([^`\n]{1,300})``/g
const ANCHOR = /`([^`<\n]{1,300}) <([^>\n]{1,300})>`__?/g

/** Reads AsciiDoc and converts its headings to Markdown. */
export async function* readAsciidoc({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  const lines = decodeText(bytes)
    .split('\n')
    .flatMap((line) => {
      const [, marks, heading = ''] = /^(={1,6})\s+(\S.*)$/.exec(line) ?? []
      if (marks) return [markdownHeading(marks.length, heading)]
      if (/^(?:-{4,}|\.{4,}|={4,}|\*{4,})\s*$/.test(line)) return ['']
      if (/^(?::[\w-]+:|\[[^\]]*\]\s*$|\/\/)/.test(line)) return []
      const item = /^(\*{1,5}|\.{1,5})\s+(\S.*)$/.exec(line)
      return [item ? `${'  '.repeat(item[1]!.length - 1)}- ${item[2]}` : line]
    })
  yield* textAs('asciidoc', lines.join('\n'))
}

/** Reads Org text and converts its headings to Markdown. */
export async function* readOrg({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  let title: string | undefined
  const lines = decodeText(bytes)
    .split('\n')
    .flatMap((line) => {
      const [, marks, heading = ''] = /^(\*{1,8})\s+(\S.*)$/.exec(line) ?? []
      if (marks) return [markdownHeading(marks.length, heading.replace(/\s+:[\w@:]+:\s*$/, ''))]
      const [, key = '', value = ''] = /^#\+(\w+):?\s*(.*)$/.exec(line) ?? []
      if (key.toLowerCase() === 'title') title = value.trim()
      if (key || /^\s*:[\w-]+:/.test(line)) return []
      return [line.replace(/\[\[([^\]\n]{1,300})\]\[([^\]\n]{1,300})\]\]/g, '[$2]($1)')]
    })
  yield* textAs('org', lines.join('\n'), title)
}

/** Reads a Jupyter notebook: its text and code cells. The output of the code is left out. */
export async function* readNotebook({ bytes }: DocumentFile): AsyncGenerator<DocumentItem> {
  const notebook = parseBoundedJson(decodeText(bytes)) as {
    cells: { cell_type?: string; source?: string | string[] }[]
    metadata?: { language_info?: { name?: string }; title?: string }
  }
  const language = notebook.metadata?.language_info?.name ?? ''
  const cells = notebook.cells.flatMap(({ cell_type: type, source }) => {
    const text = [source ?? ''].flat().join('').trim()
    if (text === '') return []
    return [{ text: type === 'code' ? `\`\`\`${language}\n${text}\n\`\`\`` : text }]
  })
  yield { kind: 'head', format: 'notebook', within: [], title: notebook.metadata?.title }
  yield* partsOf(cells)
}

async function* textAs(format: string, text: string, title?: string): AsyncGenerator<DocumentItem> {
  yield { kind: 'head', format, within: [], title }
  yield* partsOf([{ text: text.trim() }])
}
