import { handlers as adminHandlers } from './admin/handlers.ts'
import { handlers as recordHandlers } from './records/handlers.ts'
import { handlers as sandboxHandlers } from './sandboxes/handlers.ts'
import { lifecycleHandlers as sandboxLifecycleHandlers } from './sandboxes/lifecycle-handlers.ts'
import { lifecycleHandlers as sourceLifecycleHandlers } from './sources/lifecycle-handlers.ts'

/** Answers the operations that cross rooms: what is made and erased as a whole, and what changes its state. */
export const handlers = {
  ...adminHandlers,
  ...recordHandlers,
  ...sandboxHandlers,
  ...sandboxLifecycleHandlers,
  ...sourceLifecycleHandlers,
}
