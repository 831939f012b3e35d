import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import './style.css'

/** Returns links to other pages that the service serves outside the guide. */
const beside = () => [
  h('a', { class: 'beside', href: '/docs' }, 'API reference'),
  h('a', { class: 'beside', href: '/console' }, 'Console'),
]

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'nav-bar-content-after': beside, 'nav-screen-content-after': beside }),
}
