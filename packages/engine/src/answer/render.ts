import { isMessage, recordKey, typeWords } from '../compose/states.ts'
import { cellsOf } from '../text/block.ts'
import { dayOf, writeDay } from '../text/civil-date.ts'
import { plainLine } from '../text/clean-text.ts'
import type { Passage } from './expand.ts'
import type { SegmentedRecord, Statement } from './statement.ts'

/**
 * Renders a passage as Markdown: sentences of a paragraph in a row, lists as lists, rows under their header,
 * and code in a fence. Sentences of a message are in quotation marks. The source comes last.
 */
export function render(passage: Passage, segmented: SegmentedRecord): string {
  const { record } = segmented
  const body = renderBody(passage, segmented)
  const isQuoted = isMessage(record) && passage.statements.every(({ kind }) => kind === 'sentence')
  const author = plainLine(record.author?.name ?? '')
  const said = isQuoted
    ? `${author === '' ? '' : `${author}: `}“${body.replaceAll('“', '‘').replaceAll('”', '’')}”`
    : body
  const source = attribution(segmented)
  return source === '' ? said : `${said}${said.includes('\n') ? '\n\n' : ' '}— ${source}`
}

/** Returns the attribution of a passage: the record's key or title, else its type, and its date. */
export function attribution({ record }: SegmentedRecord): string {
  const name = isMessage(record) ? '' : (recordKey(record) ?? plainLine(record.title ?? ''))
  const day = record.occurredAtMs === undefined ? '' : writeDay(dayOf(record.occurredAtMs))
  return [name || typeWords(record.type), day].filter((part) => part !== '').join(', ')
}

function renderBody({ statements }: Passage, { text, blocks }: SegmentedRecord): string {
  const parts: { kind: Statement['kind']; lines: string[] }[] = []
  for (const statement of statements) {
    const last = parts.at(-1)
    if (last?.kind === statement.kind && statement.kind !== 'code') last.lines.push(statement.text)
    else parts.push({ kind: statement.kind, lines: [statement.text] })
  }
  return parts
    .map(({ kind, lines }) => {
      if (kind === 'item') return lines.map((line) => `- ${line}`).join('\n')
      if (kind === 'code') return `\`\`\`\n${lines.join('\n')}\n\`\`\``
      if (kind === 'row')
        return renderRows(
          statements.filter((each) => each.kind === 'row'),
          text,
          blocks,
        )
      return lines.join(' ')
    })
    .join('\n\n')
}

function renderRows(rows: readonly Statement[], text: string, blocks: SegmentedRecord['blocks']): string {
  const header = blocks[rows[0]!.block]!.header ?? []
  const cells = rows.map(({ start, end }) => cellsOf(text.slice(start, end)).map(plainLine))
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`
  const head = header.length > 0 ? [line(header), line(header.map(() => '---'))] : []
  return [...head, ...cells.map(line)].join('\n')
}
