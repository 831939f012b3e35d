import { ActionIcon, Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { LogOut, Menu, Search, X } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { plainLine } from '../parts/plain.ts'
import { Loading, QueryView } from '../parts/states.tsx'
import { SandboxChooser } from '../sandboxes/sandbox-chooser.tsx'
import { InvitationPage } from '../sign-in/invitation-page.tsx'
import { SignInPage } from '../sign-in/sign-in-page.tsx'
import { SwitchPage } from '../sign-in/switch-page.tsx'
import { LanguageSwitch } from './language-switch.tsx'
import { PageList } from './page-list.tsx'
import { SchemeSwitch } from './scheme-switch.tsx'
import { sentenceOf } from './sentence-of.ts'
import { seeAs, signOut, useSession } from './session.ts'
import { useCaller, useSandboxes } from './shared-queries.ts'
import classes from './shell.module.css'

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const OperatorPage = lazy(async () => ({ default: (await import('../operator/operator-page.tsx')).OperatorPage }))

/** Label of the keyboard shortcut for the search, on this operating system. */
const SEARCH_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : t('Ctrl K')

/** Shows the frame of every page: navigation, current sandbox and account. */
export function Shell(): ReactNode {
  const { apiKey, hasCookie, invitation, isSigningIn, isOperator, offered } = useSession()
  if (isSigningIn) return <Loading />
  if (invitation) return <InvitationPage code={invitation} />
  if (offered) return <SwitchPage offered={offered} />
  if (!apiKey && !hasCookie) return <SignInPage />
  if (isOperator) return <OperatorShell />
  return <MemberShell />
}

/** Shows the frame of the pages of a sandbox, and the search. */
function MemberShell(): ReactNode {
  const [isSearching, setSearching] = useState(false)
  const search = useCallback(() => setSearching(true), [])
  useSearchKeys(search)
  return (
    <div className={classes.shell}>
      <a className={classes.skip} href="#page">
        {t('Skip to the page')}
      </a>
      <TopBar onSearch={search} />
      <MainContent />
      {isSearching && (
        <Suspense>
          <Palette onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** Calls `open` when Ctrl+K or Cmd+K is pressed, and prevents the browser's own action. */
function useSearchKeys(open: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      open()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [open])
}

/** Shows the operator's page, which needs no sandbox. */
function OperatorShell(): ReactNode {
  return (
    <div className={classes.operator}>
      <header className={classes.strip}>
        <span className={classes.brand}>
          <img src="/console/icon.svg" alt="" width={22} height={22} />
          <span>Cairn</span>
        </span>
        <SignOutControls />
      </header>
      <main id="page" className={classes.place}>
        <Suspense fallback={<Loading />}>
          <OperatorPage />
        </Suspense>
      </main>
    </div>
  )
}

function TopBar({ onSearch }: { onSearch: () => void }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { sandboxId } = useSession()
  const shown = useRef({ path, sandboxId })
  useEffect(() => {
    const { current } = shown
    shown.current = { path, sandboxId }
    // The list closes when another page or sandbox is shown. The first sandbox is chosen after the page is loaded.
    const isFirst = current.sandboxId === undefined && current.path === path
    if (!isFirst) setOpen(false)
  }, [path, sandboxId])
  const Opener = isOpen ? X : Menu
  return (
    <header className={classes.bar}>
      <div className={classes.head}>
        <Link to="/" className={classes.brand} aria-label={t('Cairn: ask')}>
          <img src="/console/icon.svg" alt="" width={22} height={22} />
          <span>Cairn</span>
        </Link>
        <button type="button" className={classes.opener} aria-label={t('Search')} onClick={onSearch}>
          <Search />
        </button>
        <button
          type="button"
          className={classes.opener}
          aria-expanded={isOpen}
          aria-controls="pages"
          aria-label={t('Menu')}
          onClick={() => setOpen(!isOpen)}
        >
          <Opener />
        </button>
      </div>
      <div id="pages" className={classes.drawer} data-open={isOpen}>
        <SandboxChooser />
        <button type="button" className={classes.search} onClick={onSearch}>
          <Search />
          <span>{t('Search')}</span>
          <kbd>{SEARCH_KEYS}</kbd>
        </button>
        <PageList />
        <div className={classes.foot}>
          <Account />
          <SignOutControls />
        </div>
      </div>
    </header>
  )
}

/** Shows the color scheme switch and the button that signs out. */
function SignOutControls(): ReactNode {
  const navigate = useNavigate()
  // The next person starts at the first page, not at the address of an answer of this person.
  const leaving = useMutation({ mutationFn: signOut, onSuccess: () => navigate({ to: '/' }) })
  return (
    <span className={classes.leave}>
      <LanguageSwitch />
      <SchemeSwitch />
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('Sign out')}
        title={leaving.error ? sentenceOf(leaving.error) : t('Sign out')}
        loading={leaving.isPending}
        onClick={() => leaving.mutate()}
      >
        <LogOut />
      </ActionIcon>
    </span>
  )
}

/** Shows who is signed in. */
function Account(): ReactNode {
  const { data } = useCaller()
  if (!data) return null
  return <span className={classes.account}>{plainLine(data.display_name)}</span>
}

/** Shows which grantee's view the owner has currently chosen. */
function ViewedAsBanner({ name }: { name: string }): ReactNode {
  return (
    <p className={classes.seen} role="status">
      <span>
        {rich('You view this sandbox as {name}.', { name: <bdi>{plainLine(name)}</bdi> })}{' '}
        {t('You cannot change anything in this view. The audit log records each request.')}
      </span>
      <Button size="compact-sm" variant="default" onClick={() => seeAs(undefined)}>
        {t('Back to your own view')}
      </Button>
    </p>
  )
}

/** Shows the current page. */
function MainContent(): ReactNode {
  const main = useRef<HTMLElement>(null)
  const { sandboxId, asUser, asName = asUser, keysHeld } = useSession()
  const sandboxes = useSandboxes()
  return (
    <main id="page" ref={main} tabIndex={-1} className={classes.place}>
      {asName !== undefined && <ViewedAsBanner name={asName} />}
      <QueryView of={sandboxes}>
        {({ sandboxes: all }) =>
          // If there are several sandboxes and none is chosen, there is nothing to show.
          sandboxId === undefined && all.length > 0 ? (
            <Loading />
          ) : (
            // A changed key resets all state of the previous sandbox.
            <Outlet key={JSON.stringify([sandboxId, asUser, keysHeld])} />
          )
        }
      </QueryView>
    </main>
  )
}
