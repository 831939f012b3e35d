import { cellsOf } from '../text/block.ts'
import { dateToken, dayOf } from '../text/civil-date.ts'
import { plainLine } from '../text/clean-text.ts'
import type { BriefRecord } from './brief.ts'
import type { Passage } from './expand.ts'
import type { SegmentedRecord, Statement } from './statement.ts'
import { isMessage, recordKey, typeWords } from './states.ts'

/**
 * Renders a passage as Markdown: sentences of a paragraph on one line, lists, rows below their header, code in a fence.
 * Sentences of a message are in quotation marks. The source comes last; its date is a date token.
 */
export function render(passage: Passage, segmented: SegmentedRecord): string {
  const { record } = segmented
  const [first] = passage.statements as [Statement]
  if (first.kind === 'field' || first.kind === 'relation') return first.text
  const body = renderBody(passage, segmented)
  const isQuoted = isMessage(record) && passage.statements.every(({ kind }) => kind === 'sentence')
  const said = isQuoted ? `“${body.replaceAll('“', '‘').replaceAll('”', '’')}”` : body
  const source = attribution(record)
  return `${said}${said.includes('\n') ? '\n\n' : ' '}— ${source}`
}

/** Returns the attribution of a passage: its source, its author unless it is a document, and its date. */
export function attribution(record: BriefRecord): string {
  const source = sourceOf(record)
  const author = record.type === DOCUMENT ? '' : plainLine(record.author?.name ?? '')
  const day = record.occurredAtMs === undefined ? '' : dateToken(dayOf(record.occurredAtMs))
  return [source, source.includes(author) ? '' : author, day].filter((part) => part !== '').join(', ')
}

/** Type of files and pages. Their author is often only the person who stored them. */
const DOCUMENT = 'document'

/** Returns the source of a passage: the author of a message, else the record's key, title or type. */
export function sourceOf(record: BriefRecord): string {
  const author = plainLine(record.author?.name ?? '')
  const title = plainLine(record.title ?? '')
  const name = isMessage(record) ? author || title : (recordKey(record) ?? title)
  return name || (author ? `${typeWords(record.type)} by ${author}` : typeWords(record.type))
}

function renderBody({ statements }: Passage, { text, blocks }: SegmentedRecord): string {
  const parts: { kind: Statement['kind']; statements: Statement[] }[] = []
  for (const statement of statements) {
    const last = parts.at(-1)
    const isSamePart = last?.kind === statement.kind && statement.kind !== 'code'
    // Sentences of another block begin a new paragraph.
    const isOtherBlock = statement.kind === 'sentence' && last?.statements.at(-1)?.block !== statement.block
    if (isSamePart && !isOtherBlock) last.statements.push(statement)
    else parts.push({ kind: statement.kind, statements: [statement] })
  }
  return parts.map(({ kind, statements }) => renderPart(kind, statements, text, blocks)).join('\n\n')
}

function renderPart(
  kind: Statement['kind'],
  statements: readonly Statement[],
  text: string,
  blocks: SegmentedRecord['blocks'],
): string {
  const lines = statements.map((statement) => statement.text)
  if (kind === 'code') return `\`\`\`${blocks[statements[0]!.block]!.lang ?? ''}\n${lines.join('\n')}\n\`\`\``
  if (kind === 'row') return renderRows(statements, text, blocks)
  if (kind === 'item') return renderItems(statements)
  return lines.join(' ')
}

/** Renders list items. The sentences of an item are on one line. */
function renderItems(statements: readonly Statement[]): string {
  const items = new Map<number, string[]>()
  for (const { block, text } of statements) items.set(block, [...(items.get(block) ?? []), text])
  return [...items.values()].map((sentences) => `- ${sentences.join(' ')}`).join('\n')
}

function renderRows(rows: readonly Statement[], text: string, blocks: SegmentedRecord['blocks']): string {
  const header = blocks[rows[0]!.block]!.header ?? []
  const cells = rows.map(({ start, end }) => cellsOf(text.slice(start, end)).map(plainLine))
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  const head = header.length > 0 ? [line(header), line(header.map(() => '---'))] : []
  return [...head, ...cells.map(line)].join('\n')
}
