import { createView, type Scope, type ScopeView } from './scope-view.ts'
import type { GraphStore } from './store.ts'

/** Scopes whose view is kept between questions. */
const VIEWS_MAX = 16
/** Things that all views together may remember: some 50 MB. */
const REMEMBERED_MAX = 800_000

function viewName(scope: Scope | null): string {
  if (scope === null) return ''
  return JSON.stringify([scope.projectId, scope.sourceIds === null ? null : [...scope.sourceIds].sort()])
}

/** Views by scope, made anew after a change and when they remember too much. */
export function createViews(store: GraphStore) {
  const views = new Map<string, ScopeView>()
  const remembered = () => [...views.values()].reduce((sum, view) => sum + view.remembered, 0)
  return {
    remembered,
    clear: () => views.clear(),
    of: (scope: Scope | null): ScopeView => {
      const name = viewName(scope)
      let view = views.get(name)
      views.delete(name)
      if (view === undefined || view.version !== store.version || view.remembered > REMEMBERED_MAX) {
        view = createView(store, scope, view)
      }
      views.set(name, view)
      for (const oldest of views.keys()) {
        if (views.size === 1 || (views.size <= VIEWS_MAX && remembered() <= REMEMBERED_MAX)) break
        views.delete(oldest)
      }
      return view
    },
  }
}
