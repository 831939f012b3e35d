import { QueryClient } from '@tanstack/react-query'

const FRESH_MS = 10_000
const KEPT_MS = 5 * 60_000

/** What the pages have asked for. The client makes its own repeats, so that none are made here. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: FRESH_MS, gcTime: KEPT_MS, refetchOnWindowFocus: false } },
})
