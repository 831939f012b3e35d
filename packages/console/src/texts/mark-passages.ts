import type { MarkedSpan } from '../parts/marked.ts'

/** A node of an HTML syntax tree (hast), with its position in the Markdown source. */
export interface TreeNode {
  type: string
  value?: string
  tagName?: string
  properties?: Record<string, unknown>
  children?: TreeNode[]
  position?: { start: { offset?: number }; end: { offset?: number } } | undefined
}

/** A location in the original document, such as a page, with its start in the text. */
export interface Place {
  start: number
  locator: string
}

interface PassageOptions {
  /** The Markdown source. */
  source: string
  /** Passages to highlight, as offsets into the source. */
  marks: readonly MarkedSpan[]
  /** Only blocks within this span are shown. Undefined for all. */
  shown?: MarkedSpan | undefined
  places: readonly Place[]
}

/**
 * Rehype plugin that highlights passages by their offsets in the Markdown source. It removes the blocks outside the
 * shown span and shows HTML as text. It also adds a line where a location of the original document, such as a page,
 * begins.
 */
export function markPassages({ source, marks, shown, places }: PassageOptions) {
  return (tree: TreeNode): void => {
    if (shown) keepShown(tree, shown)
    addPlaces(tree, places)
    markIn(tree, source, marks)
  }
}

/** Elements whose rows or items are removed individually. */
const DIVIDED = new Set(['table', 'tbody', 'ul', 'ol'])

function keepShown(node: TreeNode, shown: MarkedSpan): void {
  node.children = (node.children ?? []).filter((child) => {
    const range = rangeOf(child)
    return range === undefined ? child.tagName !== undefined : range.end > shown.start && range.start < shown.end
  })
  for (const child of node.children) if (DIVIDED.has(child.tagName ?? '')) keepRows(child, shown)
}

function keepRows(node: TreeNode, shown: MarkedSpan): void {
  // The header is kept, because it names the columns.
  const heads = (node.children ?? []).filter(({ tagName }) => tagName === 'thead')
  keepShown(node, shown)
  node.children = [...heads, ...(node.children ?? []).filter((child) => !heads.includes(child))]
}

function addPlaces(tree: TreeNode, places: readonly Place[]): void {
  const left = [...places]
  tree.children = (tree.children ?? []).flatMap((child) => {
    const range = rangeOf(child)
    if (range === undefined) return [child]
    let locator: string | undefined
    while (left[0] && left[0].start < range.end) locator = left.shift()!.locator
    return locator === undefined ? [child] : [placeLine(locator), child]
  })
}

function placeLine(locator: string): TreeNode {
  const children = [{ type: 'text', value: locator }]
  return { type: 'element', tagName: 'p', properties: { 'data-place': 'true' }, children }
}

function markIn(node: TreeNode, source: string, marks: readonly MarkedSpan[]): void {
  node.children = (node.children ?? []).flatMap((child) => {
    if (child.type === 'text' || child.type === 'raw') {
      if (child.value?.trim() === '' && child.position === undefined) return []
      // A code block has a position, but the text node in it has none.
      const range = rangeOf(child) ?? (node.children?.length === 1 ? rangeOf(node) : undefined)
      return textNodes(child.value ?? '', range && markedIn(child.value ?? '', source, range, marks))
    }
    markIn(child, source, marks)
    return [child]
  })
}

function textNodes(text: string, spans: readonly MarkedSpan[] = []): TreeNode[] {
  const nodes: TreeNode[] = []
  let at = 0
  for (const { start, end } of spans) {
    if (start > at) nodes.push({ type: 'text', value: text.slice(at, start) })
    const marked = { type: 'text', value: text.slice(Math.max(at, start), end) }
    if (marked.value) nodes.push({ type: 'element', tagName: 'mark', properties: {}, children: [marked] })
    at = Math.max(at, end)
  }
  if (at < text.length) nodes.push({ type: 'text', value: text.slice(at) })
  return nodes
}

/** Returns the highlighted spans of a rendered text, from those of its source. */
function markedIn(text: string, source: string, range: MarkedSpan, marks: readonly MarkedSpan[]): MarkedSpan[] {
  const within = marks.filter(({ start, end }) => end > range.start && start < range.end)
  if (within.length === 0) return []
  const offsets = offsetsIn(text, source.slice(range.start, range.end))
  return within
    .map(({ start, end }) => ({
      start: offsets[Math.max(0, start - range.start)] ?? 0,
      end: offsets[Math.min(range.end, end) - range.start] ?? text.length,
    }))
    .sort((one, other) => one.start - other.start)
}

/**
 * Returns the offset in a rendered text for each offset in its source. Characters that occur only in the source, such
 * as escapes and parts of character references, are skipped.
 */
function offsetsIn(text: string, source: string): number[] {
  const offsets: number[] = []
  let at = 0
  for (const character of source.split('')) {
    offsets.push(at)
    if (character === text[at]) at += 1
  }
  offsets.push(at)
  return offsets
}

function rangeOf({ position }: TreeNode): MarkedSpan | undefined {
  const [start, end] = [position?.start.offset, position?.end.offset]
  return start === undefined || end === undefined ? undefined : { start, end }
}
