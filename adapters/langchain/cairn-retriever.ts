import type { Cairn } from '@cairnstore/client'
import { Document } from '@langchain/core/documents'
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers'

/** Options of the retriever. */
export interface CairnRetrieverInput extends BaseRetrieverInput {
  cairn: Cairn
  /** Sandbox; the client's own if omitted. */
  sandbox_id?: string
  /** Limits the results to this project. */
  project_id?: string
  /** Maximum tokens of all passages together; the service's default if omitted. */
  max_tokens?: number
}

/**
 * Retrieves passages of one sandbox, best first. They are whole sentences without duplicates, each with its record.
 * Together they fit `max_tokens`, so a chain need not count tokens.
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
    return passages.map(({ text, record_id, ...fields }) => {
      const metadata = { record_id, source: fields.url ?? record_id, ...fields }
      return new Document({ id: record_id, pageContent: text, metadata })
    })
  }
}
