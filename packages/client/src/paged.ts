import { CairnError, UnexpectedReplyError } from './errors.ts'

const OK = 200

/**
 * A list that comes in pages. Awaited, it is the first page; iterated, it is every row of all pages, which are asked
 * for as they are needed.
 */
export class Paged<Page, Item> implements AsyncIterable<Item>, PromiseLike<Page> {
  readonly #ask: (cursor: Record<string, string>) => Promise<Page>
  readonly #rows: string

  /** `ask` gets the part of the query that leads to the next page; `rows` is the field that a page's rows stand in. */
  constructor(ask: (cursor: Record<string, string>) => Promise<Page>, rows: string) {
    this.#ask = ask
    this.#rows = rows
  }

  /** The first page, asked for anew each time. */
  // biome-ignore lint/suspicious/noThenProperty: a list is awaited where its first page is enough.
  then<A = Page, B = never>(
    done?: ((page: Page) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page({}).then(done, failed)
  }

  /** Page by page. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let cursor: Record<string, string> = {}
    for (;;) {
      const page = await this.#page(cursor)
      yield page
      const { next_cursor: next, has_more: hasMore } = page as { next_cursor?: string; has_more?: boolean }
      if (next === undefined || hasMore === false) return
      // The page that the same cursor leads to would be asked for without end.
      if (next === (cursor.cursor ?? cursor.since)) {
        throw new CairnError('The service gives the same page of this list again and again.')
      }
      // A list that can be followed goes on with `since`, which leads on even where there is no more yet.
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
