import { Link } from '@tanstack/react-router'
import {
  Activity,
  Boxes,
  ChartNoAxesColumn,
  FilePlus2,
  FileText,
  GitMerge,
  History,
  KeyRound,
  ListChecks,
  MessageCircleQuestionMark,
  Plug,
  ScrollText,
  Share2,
  Users,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../language/language.ts'
import classes from './page-list.module.css'

/** The pages by kind, in the order in which a new user needs them. */
const GROUPS = [
  {
    name: '',
    pages: [
      ['/', t('Ask'), MessageCircleQuestionMark],
      ['/answers', t('History'), History],
      ['/add', t('Add'), FilePlus2],
      ['/sources', t('Sources'), Plug],
    ],
  },
  {
    name: t('What it knows'),
    pages: [
      ['/records', t('Records'), FileText],
      ['/entities', t('Entities'), Boxes],
      ['/review', t('Review merges'), GitMerge],
    ],
  },
  {
    name: t('Manage'),
    pages: [
      ['/projects', t('Projects & sharing'), Share2],
      ['/people', t('People'), Users],
      ['/keys', t('Keys & connect'), KeyRound],
      ['/evaluations', t('Evaluations'), ListChecks],
      ['/jobs', t('Jobs & health'), Activity],
      ['/usage', t('Usage'), ChartNoAxesColumn],
      ['/audit', t('Audit'), ScrollText],
    ],
  },
] as const

/** Path and name of each page. */
export const PAGES = GROUPS.flatMap(({ pages }) => [...pages])

/** Shows the links to all pages. */
export function PageList(): ReactNode {
  return (
    <nav aria-label={t('Pages')} className={classes.pages}>
      {GROUPS.map(({ name, pages }) => (
        <div key={name} className={classes.group}>
          {name && <span className={classes.name}>{name}</span>}
          {pages.map(([to, label, Icon]) => (
            <Link key={to} to={to} className={classes.page} activeOptions={{ exact: to === '/' }}>
              <Icon />
              {label}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  )
}
