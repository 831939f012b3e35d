import { onGrants } from './on-grants.ts'
import { onProjects } from './on-projects.ts'
import { onSandboxes } from './on-sandboxes.ts'
import { onSources } from './on-sources.ts'
import { type Expected, type Step, World } from './world.ts'

/** The storage API as a few maps: what it should answer, in so few lines that they can be read and believed. */
export class Model extends World {
  /** Takes a step and says what it should be answered. */
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
