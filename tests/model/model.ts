import { onGrants } from './on-grants.ts'
import { onProjects } from './on-projects.ts'
import { onSandboxes } from './on-sandboxes.ts'
import { onSources } from './on-sources.ts'
import { type Expected, type Step, World } from './world.ts'

/** Reference model of the storage API: a few maps that predict its replies. It is short enough to verify by reading. */
export class Model extends World {
  /** Runs a step and returns the expected reply. */
  take(step: Step): Expected {
    switch (step.do) {
      case 'connect':
      case 'revoke':
      case 'makeKey':
      case 'listConnections':
      case 'expire':
      case 'useKey':
        return onGrants(this, step)
      case 'addSource':
      case 'changeSource':
      case 'getSource':
      case 'pause':
      case 'resume':
      case 'disconnect':
      case 'deleteSource':
      case 'purge':
      case 'listSources':
        return onSources(this, step)
      case 'addProject':
      case 'changeProject':
      case 'getProject':
      case 'archiveProject':
      case 'deleteProject':
      case 'listProjects':
      case 'link':
      case 'unlink':
        return onProjects(this, step)
      default:
        return onSandboxes(this, step)
    }
  }
}
