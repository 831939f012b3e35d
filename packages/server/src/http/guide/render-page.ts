import { posix } from 'node:path'
import MarkdownIt from 'markdown-it'
import { type GuidePage, PAGES } from './pages.ts'

/** A part of a page below one heading. */
export interface PageSection {
  /** Anchor of the heading. */
  id: string
  level: number
  heading: string
  /** The section's text without markup. */
  text: string
}

/** A page as HTML without its frame. */
export interface RenderedPage {
  html: string
  /** Sections in order. The first has the page's title. */
  sections: PageSection[]
}

export interface PageSources {
  /** Returns the text of a file by its path in the repository. */
  read: (path: string) => string
  /** Returns the URL of an image by its path in the repository. */
  imageAt: (path: string) => string
}

/** Matches comments in a page that are instructions for the program that runs its snippets. */
const REMARK = /^<!-- .+ -->\n/gm
const ABSOLUTE = /^[a-z]+:/
/** Paths outside the guide that the service also serves. */
const OUTSIDE = ['/docs']
const MARKS = /[\u0300-\u036f]/g
const SEPARATORS = /[^\p{L}\p{N}_]+/gu

// Angle brackets in a page are text and not HTML.
const markdown = new MarkdownIt({ html: false, linkify: true })
markdown.linkify.set({ fuzzyLink: false })
markdown.renderer.rules.fence = (tokens, at) => {
  const { info, content } = tokens[at] as Token
  const { escapeHtml } = markdown.utils
  const [button, label] = [
    '<button class="copy" title="Copy code"></button>',
    `<span>${escapeHtml(info.trim())}</span>`,
  ]
  return `<div class="code">${button}${label}<pre tabindex="0"><code>${escapeHtml(content)}</code></pre></div>\n`
}
markdown.renderer.rules.heading_close = (tokens, at) => {
  const [open, inline, { tag }] = tokens.slice(at - 2) as [Token, Token, Token]
  const label = markdown.utils.escapeHtml(`Link to “${textOf(inline.children ?? [])}”`)
  return `<a class="anchor" href="#${open.attrGet('id')}" aria-label="${label}"></a></${tag}>\n`
}
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>'
markdown.renderer.rules.table_close = () => '</table></div>'

type Token = ReturnType<typeof markdown.parse>[number]

/** Renders a page: its name, the sections from other files, then its own text. */
export function renderPage({ from, name, parts = [] }: GuidePage, sources: PageSources): RenderedPage {
  const own = sources.read(from)
  const texts =
    parts.length === 0
      ? [{ text: own, from }]
      : [
          { text: `# ${name}\n`, from },
          ...parts.map((part) => ({ text: sectionOf(sources.read(part.from), part.heading), from: part.from })),
          { text: own.replace(/^# /, '## '), from },
        ]
  const sections: PageSection[] = []
  const html = texts.map(({ text, from }) => {
    const tokens = markdown.parse(text.replaceAll(REMARK, ''), {})
    collectSections(tokens, sections)
    for (const token of tokens) if (token.children) token.children = convertLinks(token.children, from, sources)
    return markdown.renderer.render(tokens, markdown.options, {})
  })
  return { html: html.join(''), sections }
}

/** Returns the section of a text below a second-level heading, including the heading. */
function sectionOf(text: string, heading: string): string {
  const from = text.indexOf(`\n## ${heading}\n`)
  if (from === -1) throw new Error(`There is no section "${heading}".`)
  const to = text.indexOf('\n## ', from + 1)
  return text.slice(from + 1, to === -1 ? undefined : to + 1)
}

/** Appends the sections of a text to `sections`, and gives its headings anchors. */
function collectSections(tokens: Token[], sections: PageSection[]): void {
  tokens.forEach((token, at) => {
    const previous = tokens[at - 1]
    if (previous?.type === 'heading_open' && token.children) {
      const heading = textOf(token.children)
      const id = anchorFor(heading, sections)
      previous.attrSet('id', id)
      sections.push({ id, level: Number(previous.tag.slice(1)), heading, text: '' })
      return
    }
    const section = sections.at(-1)
    if (section && (token.type === 'inline' || token.type === 'fence'))
      section.text += `${token.children ? textOf(token.children) : token.content}\n`
  })
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ type, content }) => (type.endsWith('break') ? ' ' : content)).join('')
}

/** Returns an anchor that no earlier section of the page uses. */
function anchorFor(heading: string, sections: readonly PageSection[]): string {
  const words = heading.normalize('NFKD').replaceAll(MARKS, '').replaceAll(SEPARATORS, '-').replaceAll(/^-|-$/g, '')
  const id = words.toLowerCase().replace(/^(\d)/, '_$1')
  const same = sections.filter((section) => section.id === id || section.id.replace(/-\d+$/, '') === id).length
  return same === 0 ? id : `${id}-${same}`
}

/** Converts links and images for the guide. A link to a file outside the guide becomes plain text. */
function convertLinks(tokens: readonly Token[], from: string, { imageAt }: PageSources): Token[] {
  const plain: boolean[] = []
  return tokens.filter((token) => {
    if (token.type === 'image') {
      token.attrSet('src', imageAt(posix.join(posix.dirname(from), String(token.attrGet('src')))))
      token.attrSet('loading', 'lazy')
    }
    if (token.type === 'link_close') return !plain.pop()
    if (token.type !== 'link_open') return true
    const href = addressOf(String(token.attrGet('href')), from)
    plain.push(href === undefined)
    if (href === undefined) return false
    token.attrSet('href', href)
    if (ABSOLUTE.test(href)) {
      token.attrSet('target', '_blank')
      token.attrSet('rel', 'noreferrer')
    }
    return true
  })
}

/** Returns the URL of a link's target in the guide. Undefined if the target is not in it. */
function addressOf(target: string, from: string): string | undefined {
  if (ABSOLUTE.test(target) || target.startsWith('#') || OUTSIDE.includes(target)) return target
  const [path = '', anchor] = target.split('#')
  const file = posix.join(posix.dirname(from), path)
  const there =
    PAGES.find((page) => page.from === file) ?? PAGES.find(({ parts = [] }) => parts.some((part) => part.from === file))
  return there && `/guide/${there.page}${anchor ? `#${anchor}` : ''}`
}
