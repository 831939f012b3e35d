import { defineConfig } from 'vitepress'
import { SECTIONS } from '../pages.mjs'

/** @type {Record<string, string>} */
const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Renders code without syntax colors, which need inline styles that the content security policy forbids. @param
 * {string} code
 */
function plainCode(code) {
  return `<pre v-pre><code>${code.replaceAll(/[&<>]/g, (char) => ESCAPED[char] ?? char)}</code></pre>`
}

export default defineConfig({
  title: 'Cairn',
  description: 'A store of knowledge that answers with short, cited briefs',
  lang: 'en',
  head: [['link', { rel: 'icon', href: '/console/icon.svg' }]],
  base: '/guide/',
  srcDir: 'pages',
  cleanUrls: true,
  // Disabling the color transition would need an inline style.
  appearance: { disableTransition: false },
  markdown: {
    highlight: plainCode,
    // Angle brackets in a text are literal.
    config: (markdown) => {
      markdown.set({ html: false })
    },
  },
  vite: { publicDir: false, build: { assetsInlineLimit: 0 } },
  // The content security policy forbids inline styles; style.css replaces these two.
  transformHtml: (page) => page.replaceAll(/ style="(?:position:relative;|--vp-vh:0px;|)"/g, ''),
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [{ text: 'Quickstart', link: '/quickstart' }],
    sidebar: SECTIONS.map(({ heading, pages }) => ({
      text: heading,
      items: pages.map(({ page, name }) => ({ text: name, link: `/${page}` })),
    })),
  },
})
