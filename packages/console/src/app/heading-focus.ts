import type { AnyRouter } from '@tanstack/react-router'

/** Path of the page whose heading will get the focus when it is shown. */
let awaited: string | undefined

/** Moves the focus to the heading of each new page, as loading a document would. Not for the first page. */
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
  // An open dialog keeps the focus.
  if (document.querySelector('dialog[open]')) return
  heading.focus({ preventScroll: true })
}
