import { CairnError, UnexpectedReplyError } from './errors.ts'

const OK = 200

/**
 * A paginated list. Awaiting it returns the first page. Iterating over it yields every row and requests the pages on
 * demand.
 */
export class Paged<Page, Item> implements AsyncIterable<Item>, PromiseLike<Page> {
  readonly #ask: (cursor: Record<string, string>) => Promise<Page>
  readonly #rows: string

  /** `ask` takes the query parameters of the next page. `rows` is the field that holds a page's rows. */
  constructor(ask: (cursor: Record<string, string>) => Promise<Page>, rows: string) {
    this.#ask = ask
    this.#rows = rows
  }

  /** Requests the first page, again for each call. */
  // biome-ignore lint/suspicious/noThenProperty: a list is awaited where its first page is enough.
  then<A = Page, B = never>(
    done?: ((page: Page) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page({}).then(done, failed)
  }

  /** Yields the list page by page. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let cursor: Record<string, string> = {}
    for (;;) {
      const page = await this.#page(cursor)
      yield page
      const { next_cursor: next, has_more: hasMore } = page as { next_cursor?: string; has_more?: boolean }
      if (next === undefined || hasMore === false) return
      // A cursor that does not advance would be an infinite loop.
      if (next === (cursor.cursor ?? cursor.since)) {
        throw new CairnError('The service returned the same page of this list twice.')
      }
      // A list that can be followed continues with `since`, which stays valid at its end.
      cursor = hasMore === undefined ? { cursor: next } : { since: next }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#rowsOf(page)
  }

  async #page(cursor: Record<string, string>): Promise<Page> {
    const page = await this.#ask(cursor)
    if (Array.isArray(this.#rowsOf(page))) return page
    throw new UnexpectedReplyError(OK, JSON.stringify(page))
  }

  #rowsOf(page: Page): Item[] {
    return (page as Record<string, Item[]>)[this.#rows]!
  }
}
