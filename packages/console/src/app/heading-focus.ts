import type { AnyRouter } from '@tanstack/react-router'

/** Path of the page whose heading gets the focus once it is shown. */
let awaited: string | undefined

/** Lets the heading of each new page get the focus, as after the load of a document. The first page does not. */
export function followNavigation(router: AnyRouter): void {
  router.subscribe('onBeforeNavigate', ({ fromLocation, toLocation, pathChanged }) => {
    const keepsFocus = (toLocation.state as { keepsFocus?: boolean }).keepsFocus === true
    awaited = fromLocation && pathChanged && !keepsFocus ? toLocation.pathname : undefined
  })
}

/** Focuses a heading if its page was just opened. */
export function focusHeading(heading: HTMLElement | null, path: string): void {
  if (heading === null || awaited !== path) return
  awaited = undefined
  // A person who already types elsewhere keeps the focus.
  if (document.activeElement instanceof HTMLElement && document.activeElement.matches(TYPING)) return
  heading.focus({ preventScroll: true })
}

const TYPING = 'input, textarea, select, dialog *'
