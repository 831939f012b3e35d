import { QueryClient } from '@tanstack/react-query'

const FRESH_MS = 10_000
const KEPT_MS = 5 * 60_000

/** Cache of all requests of the pages. It does not retry, because the client does. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: FRESH_MS, gcTime: KEPT_MS, refetchOnWindowFocus: false } },
})
