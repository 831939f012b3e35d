import { markdownHeading, markdownLink, oneLine } from '../document.ts'
import { TableGrid } from '../table-grid.ts'

/** The part of a DOM node's interface that is used here. */
export interface PageNode {
  readonly nodeType: number
  readonly nodeName: string
  readonly nodeValue?: string | null
  readonly childNodes: ArrayLike<PageNode>
  getAttribute?(name: string): string | null
}

/** The part of an element's interface that is used here. */
interface PageElement extends PageNode {
  readonly textContent: string | null
  getAttribute(name: string): string | null
}

/** The part of a DOM document's interface that is used here. */
export interface Page {
  readonly body: PageElement | null
  readonly documentElement: PageElement | null
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): ArrayLike<PageElement>
}

const TEXT_NODE = 3
const ELEMENT_NODE = 1
/** Maximum nesting depth of elements. Deeper content is not read. */
const DEPTH_MAX = 400
const HIDDEN_ELEMENTS = new Set(
  'SCRIPT STYLE TEMPLATE NOSCRIPT HEAD TITLE SVG IFRAME OBJECT CANVAS BUTTON INPUT SELECT TEXTAREA FORM DIALOG'.split(
    ' ',
  ),
)
/** Elements that surround the content of a page. */
const PAGE_CHROME = new Set(['NAV', 'ASIDE', 'FOOTER'])
const BLOCKS = new Set(
  (
    'ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CENTER DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER HEADER ' +
    'HTML LI MAIN NAV OL P SECTION SUMMARY UL'
  ).split(' '),
)

/** Returns the visible content of a page as Markdown, without marked navigation, asides and footers. */
export function markdownOf(root: PageNode): string[] {
  const writer = new Writer()
  writer.children(root, 0)
  writer.flush()
  return writer.blocks
}

class Writer {
  readonly blocks: string[] = []
  #line = ''
  #prefix = ''
  #list = 0

  children(node: PageNode, depth: number): void {
    for (const child of Array.from(node.childNodes)) this.node(child, depth + 1)
  }

  node(node: PageNode, depth: number): void {
    if (node.nodeType === TEXT_NODE) this.#line += (node.nodeValue ?? '').replace(/\s+/g, ' ')
    if (node.nodeType !== ELEMENT_NODE || depth > DEPTH_MAX) return
    const name = node.nodeName.toUpperCase()
    if (HIDDEN_ELEMENTS.has(name) || PAGE_CHROME.has(name) || isHidden(node)) return
    if (/^H[1-6]$/.test(name)) this.#heading(Number(name[1]), node, depth)
    else if (name === 'PRE') this.#code(node)
    else if (name === 'TABLE') this.#table(node, depth)
    else if (name === 'A') this.#link(node, depth)
    else if (name === 'BR') this.#line += '\n'
    else if (name === 'HR') this.flush()
    else if (name === 'CODE') this.#line += `\`${textOf(node)}\``
    else if (BLOCKS.has(name)) this.#block(name, node, depth)
    else this.children(node, depth)
  }

  flush(): void {
    const text = this.#line
      .split('\n')
      .map((line) => line.replace(/[ \t]+/g, ' ').trim())
      .join('\n')
      .trim()
    this.#line = ''
    if (text === '') return
    this.blocks.push(this.#prefix + text)
    this.#prefix = this.#prefix.startsWith('>') ? this.#prefix : ''
  }

  #block(name: string, node: PageNode, depth: number): void {
    this.flush()
    const outer = this.#prefix
    const isList = name === 'UL' || name === 'OL'
    if (isList) this.#list += 1
    if (name === 'LI' || name === 'DD') this.#prefix = `${'  '.repeat(Math.max(0, this.#list - 1))}- `
    else if (name === 'BLOCKQUOTE') this.#prefix = '> '
    this.children(node, depth)
    this.flush()
    if (isList) this.#list -= 1
    this.#prefix =
      name === 'BLOCKQUOTE' || name === 'LI' || name === 'DD' ? (outer.startsWith('>') ? outer : '') : this.#prefix
  }

  #heading(level: number, node: PageNode, depth: number): void {
    this.flush()
    this.children(node, depth)
    const heading = markdownHeading(level, this.#line)
    this.#line = ''
    if (heading !== '') this.blocks.push(heading)
  }

  #code(node: PageNode): void {
    this.flush()
    const text = textOf(node).replace(/^\n+|\s+$/g, '')
    if (text !== '') this.blocks.push(`\`\`\`\n${text}\n\`\`\``)
  }

  #link(node: PageNode, depth: number): void {
    const before = this.#line
    const blocks = this.blocks.length
    this.#line = ''
    this.children(node, depth)
    const content = this.#line
    const url = node.getAttribute?.('href') ?? undefined
    // If a link contains whole blocks, only its content is kept.
    this.#line = this.blocks.length === blocks ? before + markdownLink(content, url) : content
  }

  /** Reads a table. If its cells contain blocks, the table is used for page layout, and its cells are read as text. */
  #table(node: PageNode, depth: number): void {
    this.flush()
    const rows = rowsOf(node)
    const isLayout = rows.some((cells) => cells.some((cell) => hasBlocks(cell, 0)))
    if (isLayout || rows.every((cells) => cells.length < 2)) {
      for (const cell of rows.flat()) {
        this.children(cell, depth)
        this.flush()
      }
      return
    }
    const grid = new TableGrid()
    for (const [at, cells] of rows.entries()) {
      grid.openRow()
      for (const cell of cells)
        grid.cell(inlineOf(cell), spanOf(cell, 'colspan', 0), spanOf(cell, 'rowspan', rows.length - at))
    }
    const table = grid.markdown()
    if (table !== '') this.blocks.push(table)
  }
}

/** Returns the column or row span of a cell. For 0, which means all remaining ones, returns `rest`. */
function spanOf(cell: PageNode, name: string, rest: number): number {
  const value = cell.getAttribute?.(name)
  return value === '0' ? rest : Number(value ?? 1) || 1
}

function inlineOf(cell: PageNode): string {
  return oneLine(markdownOf(cell).join(' '))
}

/** Returns the cells of each row of a table, without those of nested tables. */
function rowsOf(table: PageNode): PageNode[][] {
  const rows: PageNode[][] = []
  const walk = (node: PageNode) => {
    for (const child of Array.from(node.childNodes)) {
      const name = child.nodeName.toUpperCase()
      if (name === 'TR') rows.push(Array.from(child.childNodes).filter((each) => /^T[DH]$/i.test(each.nodeName)))
      else if (/^T(?:HEAD|BODY|FOOT)$/.test(name)) walk(child)
    }
  }
  walk(table)
  return rows
}

function hasBlocks(node: PageNode, depth: number): boolean {
  return Array.from(node.childNodes).some((child) => {
    const name = child.nodeName.toUpperCase()
    return /^(?:TABLE|H[1-6]|ARTICLE|SECTION)$/.test(name) || (depth < DEPTH_MAX && hasBlocks(child, depth + 1))
  })
}

function isHidden(node: PageNode): boolean {
  if (node.getAttribute?.('hidden') != null || node.getAttribute?.('aria-hidden') === 'true') return true
  return /display:\s*none/i.test(node.getAttribute?.('style') ?? '')
}

function textOf(node: PageNode): string {
  const parts: string[] = []
  const walk = (each: PageNode, depth: number) => {
    if (each.nodeType === TEXT_NODE) parts.push(each.nodeValue ?? '')
    if (each.nodeName.toUpperCase() === 'BR') parts.push('\n')
    if (depth < DEPTH_MAX) for (const child of Array.from(each.childNodes)) walk(child, depth + 1)
  }
  walk(node, 0)
  return parts.join('')
}
