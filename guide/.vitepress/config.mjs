import { defineConfig } from 'vitepress'
import { SECTIONS } from '../pages.mjs'

/** @type {Record<string, string>} */
const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Code as it is: colours would be styles inside the page, which its policy does not let in. @param {string} code */
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
  // What would keep colours from fading is a style inside the page.
  appearance: { disableTransition: false },
  markdown: {
    highlight: plainCode,
    // Angle brackets in a text are what they are.
    config: (markdown) => {
      markdown.set({ html: false })
    },
  },
  vite: { publicDir: false, build: { assetsInlineLimit: 0 } },
  // The policy of the pages lets no style stand inside them; what these two say is in style.css.
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
