import type { RecordContent } from '@cairn/engine/resolve'
import { passagesOf, TEXT_LENGTH_MAX } from '@cairn/engine/text'

/** Half of a character, as a cut can leave it, which many servers refuse. */
const HALF_PAIR = /[\uD800-\uDFFF]/gu

/**
 * What a model is given of a record: its title and text, of a long text passage by passage under the title and the
 * headings over it, in the order in which the graph has them; none of a record of which nothing is searched.
 */
export function vectorTexts(
  record: Pick<RecordContent, 'title' | 'text' | 'storage_only'>,
  charsMax: number,
): string[] {
  if (record.storage_only) return []
  const { title = '' } = record
  const text = record.text?.slice(0, TEXT_LENGTH_MAX) ?? ''
  const join = (parts: readonly string[]) =>
    parts
      .filter((part) => part.trim() !== '')
      .join('\n')
      .slice(0, charsMax)
      .replace(HALF_PAIR, '\uFFFD')
  const passages = passagesOf(text)
  if (passages.length === 0) return [join([title, text])].filter((each) => each !== '')
  return passages.map(({ from, to, headings }) => join([title, ...headings, text.slice(from, to)]))
}
