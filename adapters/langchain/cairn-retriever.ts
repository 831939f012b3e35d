import type { Cairn } from '@cairnstore/client'
import { Document } from '@langchain/core/documents'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'

/** What is retrieved, and from where. */
export interface CairnRetrieverInput extends BaseRetrieverInput {
  cairn: Cairn
  /** The sandbox; the client's own when omitted. */
  sandbox_id?: string
  /** Only what is in this project. */
  project_id?: string
  /** What the passages may take together; the service's default when omitted. */
  max_tokens?: number
}

/**
 * Retrieves passages of one sandbox, best first: whole sentences, none twice, each with the record that says so. They
 * fit `max_tokens` together, so that a chain need not count.
 */
export class CairnRetriever extends BaseRetriever {
  lc_namespace = ['cairn', 'retrievers']
  readonly #cairn: Cairn
  readonly #scope: Pick<CairnRetrieverInput, 'sandbox_id' | 'project_id' | 'max_tokens'>

  constructor({ cairn, sandbox_id, project_id, max_tokens, ...input }: CairnRetrieverInput) {
    super(input)
    this.#cairn = cairn
    this.#scope = {
      ...(sandbox_id !== undefined && { sandbox_id }),
      ...(project_id !== undefined && { project_id }),
      ...(max_tokens !== undefined && { max_tokens }),
    }
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    const { passages } = await this.#cairn.gatherContext({ ...this.#scope, query })
    return passages.map(({ text, record_id, ...told }) => {
      const metadata = { record_id, source: told.url ?? record_id, ...told }
      return new Document({ id: record_id, pageContent: text, metadata })
    })
  }
}
