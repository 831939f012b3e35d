/**
 * Returns the first page of a list as a plain promise, which a query requires. The client's list type has more methods.
 */
export async function firstPage<Page>(listed: PromiseLike<Page>): Promise<Page> {
  return listed
}
