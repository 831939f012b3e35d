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
import classes from './page-list.module.css'

/** The pages by kind, in the order in which a new user needs them. */
const GROUPS = [
  {
    name: '',
    pages: [
      ['/', 'Ask', MessageCircleQuestionMark],
      ['/answers', 'History', History],
      ['/add', 'Add', FilePlus2],
      ['/sources', 'Sources', Plug],
    ],
  },
  {
    name: 'What it knows',
    pages: [
      ['/records', 'Records', FileText],
      ['/entities', 'Entities', Boxes],
      ['/review', 'Review merges', GitMerge],
    ],
  },
  {
    name: 'Manage',
    pages: [
      ['/projects', 'Projects & sharing', Share2],
      ['/people', 'People', Users],
      ['/keys', 'Keys & connect', KeyRound],
      ['/evaluations', 'Evaluations', ListChecks],
      ['/jobs', 'Jobs & health', Activity],
      ['/usage', 'Usage', ChartNoAxesColumn],
      ['/audit', 'Audit', ScrollText],
    ],
  },
] as const

/** Path and name of each page. */
export const PAGES = GROUPS.flatMap(({ pages }) => [...pages])

/** Shows the links to all pages. */
export function PageList(): ReactNode {
  return (
    <nav aria-label="Pages" className={classes.pages}>
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
