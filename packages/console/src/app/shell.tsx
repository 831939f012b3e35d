import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { plainLine } from '../parts/plain.ts'
import { Shown, Waiting } from '../parts/states.tsx'
import { SignInPage } from '../sign-in/sign-in-page.tsx'
import { SandboxChooser, useSandboxes } from './sandbox-chooser.tsx'
import { SchemeSwitch } from './scheme-switch.tsx'
import { clientFor, seeAs, signOut, useSession } from './session.ts'
import classes from './shell.module.css'

/** The pages, in the order in which a newcomer needs them. */
const PAGES = [
  ['/', 'Ask'],
  ['/add', 'Add'],
  ['/sources', 'Sources'],
  ['/entities', 'Entities'],
  ['/review', 'Review merges'],
  ['/records', 'Records'],
  ['/projects', 'Projects & sharing'],
  ['/keys', 'Keys & connect'],
  ['/jobs', 'Jobs & health'],
  ['/usage', 'Usage'],
  ['/audit', 'Audit'],
] as const

const NAME_CHARS = 40

const OperatorPage = lazy(async () => ({ default: (await import('../operator/operator-page.tsx')).OperatorPage }))

/** What stands around every page: where to go, which sandbox is shown, who is signed in. */
export function Shell(): ReactNode {
  const { apiKey, isSigningIn, isOperator } = useSession()
  if (isSigningIn) return <Waiting />
  if (!apiKey) return <SignInPage />
  if (isOperator) return <OperatorShell />
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#page">
        Skip to the page
      </a>
      <TopBar />
      <Place />
    </div>
  )
}

/** What the admin key opens: one page, about no sandbox. */
function OperatorShell(): ReactNode {
  return (
    <div className={classes.operator}>
      <header className={classes.strip}>
        <span className={classes.brand}>
          <img src="/console/icon.svg" alt="" width={22} height={22} />
          <span>Cairn</span>
        </span>
        <span className={classes.strip}>
          <SchemeSwitch />
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => signOut()}>
            Sign out
          </Button>
        </span>
      </header>
      <main id="page" className={classes.place}>
        <Suspense fallback={<Waiting />}>
          <OperatorPage />
        </Suspense>
      </main>
    </div>
  )
}

function TopBar(): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list closes whenever another page is shown
  useEffect(() => setOpen(false), [path])
  return (
    <header className={classes.bar}>
      <div className={classes.head}>
        <Link to="/" className={classes.brand} aria-label="Cairn: ask">
          <img src="/console/icon.svg" alt="" width={22} height={22} />
          <span>Cairn</span>
        </Link>
        <button
          type="button"
          className={classes.opener}
          aria-expanded={isOpen}
          aria-controls="pages"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
      </div>
      <div id="pages" className={classes.drawer} data-open={isOpen}>
        <SandboxChooser />
        <nav aria-label="Pages" className={classes.pages}>
          {PAGES.map(([to, name]) => (
            <Link key={to} to={to} className={classes.page} activeOptions={{ exact: to === '/' }}>
              {name}
            </Link>
          ))}
        </nav>
        <div className={classes.foot}>
          <Account />
          <SchemeSwitch />
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => signOut()}>
            Sign out
          </Button>
        </div>
      </div>
    </header>
  )
}

/** Whose account the key is of: who came by a link sees where it led. */
function Account(): ReactNode {
  const { apiKey } = useSession()
  const { data } = useQuery({ queryKey: ['profile', apiKey], queryFn: () => clientFor(apiKey).getProfile() })
  if (!data) return null
  return <span className={classes.account}>{plainLine(data.display_name ?? data.user_id, NAME_CHARS)}</span>
}

/** Whose eyes the sandbox is seen with, for as long as they are not the owner's own. */
function SeenAs({ name }: { name: string }): ReactNode {
  return (
    <p className={classes.seen} role="status">
      <span>
        You see what <bdi>{plainLine(name, NAME_CHARS)}</bdi> sees, and can change nothing. The audit log says so.
      </span>
      <Button size="compact-sm" variant="default" onClick={() => seeAs(undefined)}>
        Back to what you see
      </Button>
    </p>
  )
}

/** The page itself; whoever goes to another one hears and reads on from its top. */
function Place(): ReactNode {
  const place = useRef<HTMLElement>(null)
  const { sandboxId, asUser } = useSession()
  const sandboxes = useSandboxes()
  return (
    <main id="page" ref={place} tabIndex={-1} className={classes.place}>
      {asUser !== undefined && <SeenAs name={asUser} />}
      <Shown of={sandboxes}>
        {({ sandboxes: all }) =>
          // Until one of several is chosen there is nothing that a page could be about.
          sandboxId === undefined && all.length > 0 ? (
            <Waiting />
          ) : (
            // Another sandbox is another page: nothing of the one before may be left in it.
            <Outlet key={JSON.stringify([sandboxId, asUser])} />
          )
        }
      </Shown>
    </main>
  )
}
