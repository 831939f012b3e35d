import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { AskPage } from '../ask/ask-page.tsx'
import { ErrorMessage, NoPage } from '../parts/states.tsx'
import { NewSandbox } from '../sandboxes/new-sandbox.tsx'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell, notFoundComponent: NoPage })
const getParentRoute = () => root

/** One component for both addresses. A conversation therefore continues when its address changes. */
const conversation = createRoute({ getParentRoute, id: 'conversation', component: AskPage })
const ask = createRoute({ getParentRoute: () => conversation, path: '/' })
const answer = createRoute({
  getParentRoute: () => conversation,
  path: '/answers/$answerId',
  // Ids of the earlier answers of the conversation, oldest first, such as `ans_1.ans_2`.
  validateSearch: ({ after }: Record<string, unknown>): { after?: string } =>
    typeof after === 'string' ? { after } : {},
})
const answers = createRoute({
  getParentRoute,
  path: '/answers',
  component: lazyRouteComponent(() => import('../ask/answers-page.tsx'), 'AnswersPage'),
})
const add = createRoute({
  getParentRoute,
  path: '/add',
  component: lazyRouteComponent(() => import('../adding/add-page.tsx'), 'AddPage'),
})
const sources = createRoute({
  getParentRoute,
  path: '/sources',
  component: lazyRouteComponent(() => import('../sources/sources-page.tsx'), 'SourcesPage'),
})
const source = createRoute({
  getParentRoute,
  path: '/sources/$sourceId',
  component: lazyRouteComponent(() => import('../sources/source-page.tsx'), 'SourcePage'),
})
const entities = createRoute({
  getParentRoute,
  path: '/entities',
  component: lazyRouteComponent(() => import('../entities/entities-page.tsx'), 'EntitiesPage'),
})
const entity = createRoute({
  getParentRoute,
  path: '/entities/$entityId',
  component: lazyRouteComponent(() => import('../entities/entity-page.tsx'), 'EntityPage'),
})
const review = createRoute({
  getParentRoute,
  path: '/review',
  component: lazyRouteComponent(() => import('../entities/review-page.tsx'), 'ReviewPage'),
})
const newSandbox = createRoute({
  getParentRoute,
  path: '/sandboxes/new',
  component: NewSandbox,
})
const records = createRoute({
  getParentRoute,
  path: '/records',
  component: lazyRouteComponent(() => import('../records/records-page.tsx'), 'RecordsPage'),
})
const record = createRoute({
  getParentRoute,
  path: '/records/$recordId',
  // Offsets of the passages that an answer cites, such as `12-80.95-120`.
  validateSearch: ({ marks }: Record<string, unknown>): { marks?: string } =>
    typeof marks === 'string' ? { marks } : {},
  component: lazyRouteComponent(() => import('../records/record-page.tsx'), 'RecordPage'),
})
const jobs = createRoute({
  getParentRoute,
  path: '/jobs',
  component: lazyRouteComponent(() => import('../jobs/jobs-page.tsx'), 'JobsPage'),
})
const evaluations = createRoute({
  getParentRoute,
  path: '/evaluations',
  component: lazyRouteComponent(() => import('../evaluations/evaluations-page.tsx'), 'EvaluationsPage'),
})
const evaluation = createRoute({
  getParentRoute,
  path: '/evaluations/$evaluationId',
  // Id of the evaluation with which it is compared.
  validateSearch: ({ against }: Record<string, unknown>): { against?: string } =>
    typeof against === 'string' ? { against } : {},
  component: lazyRouteComponent(() => import('../evaluations/evaluation-page.tsx'), 'EvaluationPage'),
})
const keys = createRoute({
  getParentRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('../keys/keys-page.tsx'), 'KeysPage'),
})
const projects = createRoute({
  getParentRoute,
  path: '/projects',
  component: lazyRouteComponent(() => import('../projects/projects-page.tsx'), 'ProjectsPage'),
})
const people = createRoute({
  getParentRoute,
  path: '/people',
  component: lazyRouteComponent(() => import('../people/people-page.tsx'), 'PeoplePage'),
})
const usage = createRoute({
  getParentRoute,
  path: '/usage',
  component: lazyRouteComponent(() => import('../usage/usage-page.tsx'), 'UsagePage'),
})
const audit = createRoute({
  getParentRoute,
  path: '/audit',
  component: lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
})

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** True if the focus stays where it is, instead of moving to the heading of the page. */
    keepsFocus?: boolean
  }
}

/** Routes of the console. Pages other than the first are loaded on demand. */
export const router = createRouter({
  routeTree: root.addChildren([
    conversation.addChildren([ask, answer]),
    answers,
    add,
    sources,
    source,
    entities,
    entity,
    review,
    records,
    record,
    jobs,
    evaluations,
    evaluation,
    keys,
    projects,
    people,
    usage,
    newSandbox,
    audit,
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <ErrorMessage error={error} again={reset} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
