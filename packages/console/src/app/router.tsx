import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { AskPage } from '../ask/ask-page.tsx'
import { NoPage } from '../parts/states.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NoPage })
const getParentRoute = () => root

const ask = createRoute({ getParentRoute, path: '/', component: AskPage })
const record = createRoute({
  getParentRoute,
  path: '/records/$recordId',
  // Where the passages are that an answer was taken from: `12-80.95-120`.
  validateSearch: ({ marks }: Record<string, unknown>): { marks?: string } =>
    typeof marks === 'string' ? { marks } : {},
  component: lazyRouteComponent(() => import('../records/record-page.tsx'), 'RecordPage'),
})

/** The console's addresses. What a person does not open first is loaded when it is opened. */
export const router = createRouter({
  routeTree: root.addChildren([ask, record]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
