/** The first page of a list, as a promise: a list of the client is more than that, and a query takes no less. */
export async function firstPage<Page>(listed: PromiseLike<Page>): Promise<Page> {
  return listed
}
