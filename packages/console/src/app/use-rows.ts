import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { useSession } from './session.ts'

/** Loads a paged list. Returns the rows loaded so far and a function that loads more. */
export function useRows<Page extends { next_cursor?: string | null }, Row>(
  name: readonly unknown[],
  ask: (cursor: string | undefined) => PromiseLike<Page>,
  rowsOf: (page: Page) => Row[],
  again?: { everyMs: number },
) {
  const { sandboxId, isOperator } = useSession()
  const listed = useInfiniteQuery({
    queryKey: [sandboxId, ...name],
    // Wrapping the page in an object lets TypeScript infer its type from the promise.
    queryFn: async ({ pageParam }: { pageParam: string | undefined }) => ({ page: (await ask(pageParam)) as Page }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ page }) => page.next_cursor ?? undefined,
    enabled: sandboxId !== undefined || isOperator === true,
    ...(again && { refetchInterval: again.everyMs }),
  })
  const { data, hasNextPage, isFetching, fetchNextPage } = listed
  const rows = useMemo(() => data?.pages.flatMap(({ page }) => rowsOf(page)), [data, rowsOf])
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage])
  return {
    rows,
    data: rows,
    error: listed.error,
    refetch: listed.refetch,
    hasMore: hasNextPage,
    onMore: hasNextPage && !isFetching ? more : undefined,
  }
}
