import { type ReactNode, useMemo } from 'react'
import Markdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { t } from '../language/language.ts'
import { ExternalLink } from '../parts/external-link.tsx'
import type { MarkedSpan } from '../parts/marked.ts'
import { plain, webAddress } from '../parts/plain.ts'
import { markPassages, type Place } from './mark-passages.ts'
import classes from './rich-text.module.css'

interface RichTextProps {
  text: string
  marks: readonly MarkedSpan[]
  shown?: MarkedSpan | undefined
  places?: readonly Place[]
  /** True if the headings of the text count as headings of the page. */
  hasHeadings?: boolean
}

const NO_PLACES: readonly Place[] = []

/** Shows Markdown as HTML elements. HTML in the text is shown as text, and pictures as their description. */
export function RichText({ text, marks, shown, places = NO_PLACES, hasHeadings = false }: RichTextProps): ReactNode {
  const source = plain(text)
  const plugins = useMemo(
    () => [
      [markPassages, { source, marks, shown, places }] as [typeof markPassages, Parameters<typeof markPassages>[0]],
    ],
    [source, marks, shown, places],
  )
  return (
    <div className={classes.rich} dir="auto">
      <Markdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={plugins}
        components={hasHeadings ? ON_PAGE : IN_CARD}
        urlTransform={(url) => webAddress(url) ?? ''}
      >
        {source}
      </Markdown>
    </div>
  )
}

const SHARED: Components = {
  a: ({ href, children }) => (href ? <ExternalLink url={href}>{children}</ExternalLink> : <span>{children}</span>),
  img: ({ alt }) => (
    <span className={classes.picture}>{alt ? t('Picture: {description}', { description: alt }) : t('Picture')}</span>
  ),
  input: ({ checked }) => (
    <span role="img" aria-label={checked ? t('Done') : t('Open')}>
      {checked ? '☑' : '☐'}
    </span>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard
    <section className={classes.scrolled} aria-label={t('Table')} tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
    <pre className={classes.scrolled} tabIndex={0}>
      {children}
    </pre>
  ),
}

const heading = ({ children }: { children?: ReactNode }) => <p className={classes.heading}>{children}</p>
const IN_CARD: Components = { ...SHARED, h1: heading, h2: heading, h3: heading, h4: heading, h5: heading, h6: heading }
/** Heading levels on a page. Level 1 is reserved for the page's own title. */
const ON_PAGE: Components = { ...SHARED, h1: 'h2', h2: 'h3', h3: 'h4', h4: 'h5', h5: 'h6' }
