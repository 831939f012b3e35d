import { HOME, PAGES, SECTIONS } from './pages.ts'
import type { PageSection, RenderedPage } from './render-page.ts'

/** URLs of the guide's static files by name. */
export type AssetAddresses = (name: string) => string

/** Levels of the headings that are listed in a page's outline. */
const [OUTLINE_MIN, OUTLINE_MAX] = [2, 3]
const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (char) => ESCAPED[char] ?? char)

/** Returns a complete page of the guide. */
export function framePage(page: string, { html, sections }: RenderedPage, assetAt: AssetAddresses): string {
  const outline = outlineOf(sections)
  return frame({
    title: `${sections[0]?.heading ?? page} | Cairn`,
    assetAt,
    body: `<nav id="sidebar" class="sidebar" aria-label="Pages" popover>${sidebar(page)}</nav>
<div class="local"><button popovertarget="sidebar">☰ Menu</button>
<details><summary>On this page</summary>${outline}</details></div>
<div class="columns"><main id="content">${html}${neighbours(page)}</main>
<aside><nav class="outline" aria-label="On this page"><strong>On this page</strong>${outline}</nav></aside></div>`,
  })
}

export function frameHome(assetAt: AssetAddresses): string {
  const features = HOME.features.map(
    ({ page, title, details }) => `<a href="/guide/${page}"><h2>${title}</h2><p>${escaped(details)}</p></a>`,
  )
  return frame({
    title: 'Cairn',
    assetAt,
    className: 'home',
    body: `<main id="content"><h1><span>Cairn</span><br>${HOME.title}</h1>
<p class="tagline">${escaped(HOME.tagline)}</p>
<p class="actions"><a class="brand" href="/guide/quickstart">Quickstart</a><a href="/guide/concepts">Concepts</a></p>
<div class="features">${features.join('')}</div></main>`,
  })
}

function frame(page: { title: string; body: string; assetAt: AssetAddresses; className?: string }): string {
  const { title, body, assetAt, className = 'page' } = page
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title>
<meta name="description" content="A store of knowledge that answers with short, cited briefs">
<link rel="icon" href="/console/icon.svg">
<link rel="stylesheet" href="${assetAt('guide.css')}">
<script src="${assetAt('scheme.js')}"></script>
<script type="module" src="${assetAt('guide.js')}"></script>
</head>
<body class="${className}">
<a class="skip" href="#content">Skip to content</a>
<header><a class="title" href="/guide/">Cairn</a>
<button class="search">Search <kbd>Ctrl K</kbd></button>
<nav aria-label="Main"><a href="/guide/quickstart">Quickstart</a>
<button class="scheme" role="switch" aria-checked="false" title="Dark theme" aria-label="Dark theme"></button>
<a href="/docs">API reference</a><a href="/console">Console</a></nav></header>
${body}
<dialog aria-label="Search" data-library="${assetAt('minisearch.js')}" data-index="/guide/search.json">
<input type="search" placeholder="Search" aria-label="Search" autocomplete="off" spellcheck="false">
<ol></ol><p role="status"></p></dialog>
</body>
</html>
`
}

function sidebar(current: string): string {
  const groups = SECTIONS.map(({ heading, pages }) => {
    const links = pages.map(({ page, name }) => {
      return `<li><a href="/guide/${page}"${page === current ? ' aria-current="page"' : ''}>${escaped(name)}</a></li>`
    })
    return `<section><h2>${heading}</h2><ul>${links.join('')}</ul></section>`
  })
  return groups.join('')
}

function outlineOf(sections: readonly PageSection[]): string {
  const shown = sections.filter(({ level }) => level >= OUTLINE_MIN && level <= OUTLINE_MAX)
  const links = shown.map(({ id, level, heading }) => {
    return `<li class="level-${level}"><a href="#${id}">${escaped(heading)}</a></li>`
  })
  return `<ul>${links.join('')}</ul>`
}

/** Returns links to the previous and the next page. */
function neighbours(current: string): string {
  const at = PAGES.findIndex(({ page }) => page === current)
  const link = (page: (typeof PAGES)[number] | undefined, label: string) =>
    page ? `<a href="/guide/${page.page}"><small>${label}</small>${escaped(page.name)}</a>` : '<span></span>'
  const links = [link(PAGES[at - 1], 'Previous page'), link(PAGES[at + 1], 'Next page')]
  return `<nav class="neighbours" aria-label="Pager">${links.join('')}</nav>`
}
